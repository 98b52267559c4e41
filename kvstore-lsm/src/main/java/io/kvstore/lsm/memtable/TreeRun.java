package io.kvstore.lsm.memtable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A run whose entries are in order at all times: a B+tree outside the heap to which one writer adds. Nothing is removed.
 * Readers take no lock and never begin a search again.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A leaf is a list in the order of arrival. Its slots are written once, each before the release store of the count
 *       that covers it. A full leaf is not changed any more. It is replaced by two leaves whose slots are sorted, but the
 *       last leaf of all may stay and get a successor instead.
 *   <li>An inner node has its children in order. The separator before a child is the first entry of the child, and stays
 *       so, because entries do not go away. Only two things in an inner node change: a child is replaced by a release
 *       store, and a last child is added like a slot of a leaf. Every other change is a new node in place of the old one.
 *   <li>So each change of shape becomes visible by one release store. A replaced node stays as it was until the whole
 *       memtable goes. A reader that is inside of it sees the entries that were there when it went in.
 *   <li>No leaf is empty, and no two entries are equal.
 *   <li>{@link #reserveBytes} is the most that the given number of insertions allocates.
 * </ol>
 *
 * <pre>
 *   leaf:  0 count, 4 how many of the first slots are sorted, 8 heads of keys, 8 bytes each, then places of entries, 4 each
 *   inner: 0 count, 8 heads of separators, then places of separators, of which the first is unused, then those of children
 * </pre>
 */
final class TreeRun implements Run, Run.Leaves {

    private static final int LEAF_SLOTS = LeafCopy.MAX_ENTRIES - 1;
    private static final int INNER_SLOTS = 64;
    private static final int MAX_LEVELS = 16;
    private static final int SORTED = 4;
    private static final int HEADS = 8;
    private static final long LEAF_ENTRIES = HEADS + 8L * LEAF_SLOTS;
    private static final long LEAF_BYTES = ChunkArena.rounded(LEAF_ENTRIES + 4L * LEAF_SLOTS);
    private static final long INNER_ENTRIES = HEADS + 8L * INNER_SLOTS;
    private static final long INNER_CHILDREN = INNER_ENTRIES + 4L * INNER_SLOTS;
    private static final long INNER_BYTES = ChunkArena.rounded(INNER_CHILDREN + 4L * INNER_SLOTS);
    private static final long EMPTY = -1;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED_INT = INT.varHandle();

    private final ChunkArena nodes;
    private final EntryArena entries;
    private final int[] nodeCounts = new int[MAX_LEVELS];
    private final int[] pathNodes = new int[MAX_LEVELS];
    private final int[] pathChildren = new int[MAX_LEVELS];
    private final LeafCopy leaf;
    private final long[] heads = new long[INNER_SLOTS + 1];
    private final int[] separators = new int[INNER_SLOTS + 1];
    private final int[] children = new int[INNER_SLOTS + 1];

    /** The node at which searches begin, in the low 32 bits, and its level above. Leaves have level 0. */
    private volatile long root = EMPTY;

    TreeRun(ChunkArena nodes, EntryArena entries) {
        this.nodes = nodes;
        this.entries = entries;
        this.leaf = new LeafCopy();
    }

    private static int level(long root) {
        return (int) (root >> Integer.SIZE);
    }

    private void setRoot(int node, int level) {
        root = (long) level << Integer.SIZE | node;
    }

    @Override
    public boolean isEmpty() {
        return root == EMPTY;
    }

    @Override
    public boolean isFull() {
        return false;
    }

    @Override
    public long reserveBytes(int insertions) {
        long splits = Math.min(insertions, nodeCounts[0] + 2L * insertions / LEAF_SLOTS + 2);
        long bytes = (2 * splits + 1) * LEAF_BYTES;
        int top = level(root);
        for (int level = 1; splits > 0; level++) {
            long more = 2 * splits / INNER_SLOTS;
            long innerSplits = level > top ? more : Math.min(splits, nodeCounts[level] + more + 2);
            bytes += (splits + innerSplits) * INNER_BYTES;
            splits = innerSplits;
        }
        return bytes;
    }

    @Override
    public void prepare(int insertions) {
        // nodes are allocated as they are needed
    }

    @Override
    public int find(byte[] key, long head, long lsn) {
        long top = root;
        int node = (int) top;
        int following = NIL;
        for (int level = level(top); level > 0; level--) {
            int count = count(node);
            int child = childOf(node, count, key, head, lsn);
            if (child + 1 < count) {
                following = innerEntry(node, child + 1);
            }
            node = child(node, child);
        }
        if (top == EMPTY) {
            return NIL;
        }
        int found = findInLeaf(node, key, head, lsn);
        boolean isNext = found == NIL
                && following != NIL
                && entries.head(following) == head
                && entries.compareTails(following, key) == 0;
        return isNext ? following : found;
    }

    private int findInLeaf(int node, byte[] key, long head, long lsn) {
        int count = count(node);
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        int found = NIL;
        long newest = -1;
        for (int i = 0; i < count; i++) {
            if (segment.get(LONG, offset + HEADS + 8L * i) == head) {
                int entry = segment.get(INT, offset + LEAF_ENTRIES + 4L * i);
                long entryLsn = entries.lsn(entry);
                if (entryLsn > newest && entryLsn <= lsn && entries.compareTails(entry, key) == 0) {
                    found = entry;
                    newest = entryLsn;
                }
            }
        }
        return found;
    }

    /** Returns the index of the last child whose entries begin at or before a key and an lsn. */
    private int childOf(int node, int count, byte[] key, long head, long lsn) {
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            long separatorHead = segment.get(LONG, offset + HEADS + 8L * middle);
            int order = separatorHead != head
                    ? Long.compareUnsigned(separatorHead, head)
                    : entries.compare(segment.get(INT, offset + INNER_ENTRIES + 4L * middle), key, lsn);
            if (order <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private int count(int node) {
        return (int) SHARED_INT.getAcquire(nodes.segment(node), nodes.offset(node));
    }

    private int innerEntry(int node, int index) {
        return nodes.segment(node).get(INT, nodes.offset(node) + INNER_ENTRIES + 4L * index);
    }

    private int child(int node, int index) {
        return (int) SHARED_INT.getAcquire(nodes.segment(node), nodes.offset(node) + INNER_CHILDREN + 4L * index);
    }

    private void setChild(int node, int index, int child) {
        SHARED_INT.setRelease(nodes.segment(node), nodes.offset(node) + INNER_CHILDREN + 4L * index, child);
    }

    @Override
    public void moveTo(byte[] key, long head, long lsn) {
        long top = root;
        int node = (int) top;
        for (int level = level(top); level > 0; level--) {
            int child = childOf(node, count(node), key, head, lsn);
            pathNodes[level] = node;
            pathChildren[level] = child;
            node = child(node, child);
        }
        pathNodes[0] = node;
    }

    @Override
    public boolean holds(byte[] key, long head, long lsn) {
        if (isEmpty()) {
            return false;
        }
        int found = findInLeaf(pathNodes[0], key, head, lsn);
        return found != NIL && entries.lsn(found) == lsn;
    }

    @Override
    public void insert(long head, int entry) {
        if (isEmpty()) {
            leaf.begin(head, entry);
            setRoot(newLeaf(0, 1), 0);
            return;
        }
        int node = pathNodes[0];
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        int count = segment.get(INT, offset);
        if (count == LEAF_SLOTS) {
            split(node, head, entry);
            return;
        }
        segment.set(LONG, offset + HEADS + 8L * count, head);
        segment.set(INT, offset + LEAF_ENTRIES + 4L * count, entry);
        SHARED_INT.setRelease(segment, offset, count + 1);
    }

    private void split(int node, long head, int entry) {
        copy(node, leaf);
        boolean isGreatest = leaf.insert(entries, head, entry) == LEAF_SLOTS;
        int middle = isGreatest && isLast() ? LEAF_SLOTS : leaf.size() / 2;
        int left = middle == LEAF_SLOTS ? node : newLeaf(0, middle);
        int right = newLeaf(middle, leaf.size());
        addChild(1, left, right, leaf.entry(middle));
    }

    private boolean isLast() {
        for (int level = level(root); level > 0; level--) {
            if (pathChildren[level] < count(pathNodes[level]) - 1) {
                return false;
            }
        }
        return true;
    }

    private int newLeaf(int from, int to) {
        int node = nodes.allocate(LEAF_BYTES);
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        for (int i = from; i < to; i++) {
            segment.set(LONG, offset + HEADS + 8L * (i - from), leaf.head(i));
            segment.set(INT, offset + LEAF_ENTRIES + 4L * (i - from), leaf.entry(i));
        }
        segment.set(INT, offset + SORTED, to - from);
        segment.set(INT, offset, to - from);
        nodeCounts[0] += from > 0 || isEmpty() ? 1 : 0;
        return node;
    }

    /** Puts {@code left} and {@code right} in the place of the path's node below {@code level}. */
    private void addChild(int level, int left, int right, int separator) {
        if (level > level(root)) {
            children[0] = left;
            children[1] = right;
            heads[1] = entries.head(separator);
            separators[1] = separator;
            setRoot(newInner(level, 0, 2), level);
            return;
        }
        int node = pathNodes[level];
        int index = pathChildren[level];
        int count = count(node);
        boolean isAdded = index == count - 1 && left == child(node, index);
        if (isAdded && count < INNER_SLOTS) {
            MemorySegment segment = nodes.segment(node);
            long offset = nodes.offset(node);
            segment.set(LONG, offset + HEADS + 8L * count, entries.head(separator));
            segment.set(INT, offset + INNER_ENTRIES + 4L * count, separator);
            segment.set(INT, offset + INNER_CHILDREN + 4L * count, right);
            SHARED_INT.setRelease(segment, offset, count + 1);
            return;
        }
        collect(node, index, left, right, separator);
        if (count < INNER_SLOTS) {
            replace(level, newInner(level, 0, count + 1));
            return;
        }
        int middle = isAdded ? count : (count + 1) / 2;
        int middleSeparator = separators[middle];
        int newLeft = isAdded ? node : newInner(level, 0, middle);
        addChild(level + 1, newLeft, newInner(level, middle, count + 1), middleSeparator);
    }

    /** Gathers the children of a node, with two of them in place of one. */
    private void collect(int node, int index, int left, int right, int separator) {
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        int count = segment.get(INT, offset);
        for (int i = 0; i < count; i++) {
            int to = i > index ? i + 1 : i;
            heads[to] = segment.get(LONG, offset + HEADS + 8L * i);
            separators[to] = segment.get(INT, offset + INNER_ENTRIES + 4L * i);
            children[to] = segment.get(INT, offset + INNER_CHILDREN + 4L * i);
        }
        children[index] = left;
        children[index + 1] = right;
        heads[index + 1] = entries.head(separator);
        separators[index + 1] = separator;
    }

    private int newInner(int level, int from, int to) {
        int node = nodes.allocate(INNER_BYTES);
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        for (int i = from; i < to; i++) {
            segment.set(LONG, offset + HEADS + 8L * (i - from), heads[i]);
            segment.set(INT, offset + INNER_ENTRIES + 4L * (i - from), separators[i]);
            segment.set(INT, offset + INNER_CHILDREN + 4L * (i - from), children[i]);
        }
        segment.set(INT, offset, to - from);
        nodeCounts[level] += from > 0 || level > level(root) ? 1 : 0;
        return node;
    }

    private void replace(int level, int node) {
        if (level == level(root)) {
            setRoot(node, level);
        } else {
            setChild(pathNodes[level + 1], pathChildren[level + 1], node);
        }
    }

    @Override
    public Leaves leaves() {
        return this;
    }

    @Override
    public void copyLeaf(byte[] key, long head, long lsn, LeafCopy target) {
        long top = root;
        int node = (int) top;
        target.clear();
        for (int level = level(top); level > 0; level--) {
            int count = count(node);
            int child = childOf(node, count, key, head, lsn);
            node = goDown(node, child, count, target);
        }
        if (top != EMPTY) {
            copy(node, target);
        }
    }

    @Override
    public void copyLeaf(boolean last, LeafCopy target) {
        long top = root;
        int node = (int) top;
        target.clear();
        for (int level = level(top); level > 0; level--) {
            int count = count(node);
            node = goDown(node, last ? count - 1 : 0, count, target);
        }
        if (top != EMPTY) {
            copy(node, target);
        }
    }

    private int goDown(int node, int child, int count, LeafCopy target) {
        if (child > 0) {
            target.setLower(innerEntry(node, child));
        }
        if (child + 1 < count) {
            target.setUpper(innerEntry(node, child + 1));
        }
        return child(node, child);
    }

    private void copy(int node, LeafCopy target) {
        int count = count(node);
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        int sorted = segment.get(INT, offset + SORTED);
        target.begin(segment.get(LONG, offset + HEADS), segment.get(INT, offset + LEAF_ENTRIES));
        for (int i = 1; i < count; i++) {
            long head = segment.get(LONG, offset + HEADS + 8L * i);
            int entry = segment.get(INT, offset + LEAF_ENTRIES + 4L * i);
            if (i < sorted) {
                target.append(head, entry);
            } else {
                target.insert(entries, head, entry);
            }
        }
    }
}
