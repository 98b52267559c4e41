package io.kvstore.lsm;

import io.kvstore.data.KeyHead;
import io.kvstore.data.Mutation;
import io.kvstore.engine.MemoryBudget;
import io.kvstore.lsm.sstable.EntryKind;
import io.kvstore.lsm.sstable.KeyBuffer;
import io.kvstore.lsm.sstable.Lookup;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What was written last: a skip list outside the heap that keeps every version of every key, ordered by key and, within a
 * key, from the newest lsn to the oldest. After Pugh, "Skip lists: a probabilistic alternative to balanced trees" (1990).
 *
 * <h2>Concurrency</h2>
 *
 * <p>One writer at a time, under the table's write lock. Readers take no lock; they hold the memtable by an epoch or by a
 * {@link Version} they pinned.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A node is complete before a release store links it, level 0 first; a reader follows links by acquire loads. So a
 *       reader sees every byte of a node that it reaches, and the chunk the node lies in.
 *   <li>Nodes never change, but for their links, and never go away before the whole memtable does.
 *   <li>No two nodes have the same key and lsn.
 *   <li>{@link #reserve} made room for all that {@link #apply} allocates, so that it cannot fail.
 * </ol>
 *
 * <p>Nodes and values lie in different chunks, so that a search touches few cache lines and pages:
 *
 * <pre>
 *   0 head of the key, 8 lsn, 16 place of the value, 20 its length, 24 key length u16, 26 height u8, 27 kind u8,
 *  28 links, 4 bytes for each level, then the key from its ninth byte on
 * </pre>
 */
final class MemTable {

    /** No node; the head of the list has this place, and nothing links to it. */
    static final int NIL = 0;

    private static final int MAX_HEIGHT = 12;
    private static final int LINKS = 28;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfLong BIG_LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final VarHandle LINK = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle KEY_LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final Arena arena = Arena.ofShared();
    private final MemoryBudget budget;
    private final ArenaChunks nodes;
    private final ArenaChunks values;
    private final int[] before = new int[MAX_HEIGHT];
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicLong entries = new AtomicLong();
    private final AtomicLong lastLsn = new AtomicLong();
    private final AtomicLong takenBytes = new AtomicLong();
    private long random;
    private boolean hasHead;
    private volatile int height;

    /** @param chunkBytes how much memory is taken at a time, a power of two */
    MemTable(MemoryBudget budget, int chunkBytes, long seed) {
        this.budget = budget;
        this.nodes = new ArenaChunks(arena, budget, Math.max(chunkBytes / 4, 1 << 12));
        this.values = new ArenaChunks(arena, budget, chunkBytes);
        this.random = seed | 1;
    }

    /** Makes room for the mutations; false if the budget has no memory for them. */
    boolean reserve(List<Mutation> mutations, boolean force) {
        long nodeBytes = hasHead ? 0 : ArenaChunks.rounded(LINKS + 4L * MAX_HEIGHT);
        long valueBytes = 0;
        for (int i = 0; i < mutations.size(); i++) {
            nodeBytes += nodeBytes(mutations.get(i));
            valueBytes += valueBytes(mutations.get(i));
        }
        try {
            return nodes.ensure(nodeBytes, force) && placeHead() && values.ensure(valueBytes, force);
        } finally {
            takenBytes.setRelease(nodes.takenBytes() + values.takenBytes());
        }
    }

    /**
     * Puts the list's head at the first place there is, which all links take for granted: at once, because a reservation
     * that is cancelled leaves its region as the spare one, and the next would begin elsewhere.
     */
    private boolean placeHead() {
        if (!hasHead) {
            int place = nodes.allocate(LINKS + 4L * MAX_HEIGHT);
            if (place != NIL) {
                throw new IllegalStateException("the head of a memtable is at place " + place);
            }
            hasHead = true;
        }
        return true;
    }

    /** The most that a mutation takes, chunks not counted. */
    static long bytes(Mutation mutation) {
        return nodeBytes(mutation) + valueBytes(mutation);
    }

    private static long nodeBytes(Mutation mutation) {
        int tail = Math.max(0, mutation.key().length - KeyHead.BYTES);
        return ArenaChunks.rounded(LINKS + 4L * MAX_HEIGHT + tail);
    }

    private static long valueBytes(Mutation mutation) {
        return mutation instanceof Mutation.Put put ? ArenaChunks.rounded(put.value().length) : 0;
    }

    /** Adds the mutations under one lsn, which is above any before; the last one for a key counts. */
    void apply(long lsn, List<Mutation> mutations) {
        int added = 0;
        for (int i = mutations.size() - 1; i >= 0; i--) {
            added += add(lsn, mutations.get(i)) ? 1 : 0;
        }
        entries.setRelease(entries.getPlain() + added);
        lastLsn.setRelease(lsn);
    }

    private boolean add(long lsn, Mutation mutation) {
        byte[] key = mutation.key();
        long head = KeyHead.of(key);
        int following = search(key, head, lsn);
        if (following != NIL && isAt(following, key, head) && lsn(following) == lsn) {
            return false;
        }
        int levels = randomHeight();
        int node = newNode(levels, lsn, mutation);
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        int known = height;
        for (int level = 0; level < levels; level++) {
            int next = level < known ? link(before[level], level) : NIL;
            segment.set(INT, offset + LINKS + 4L * level, next);
        }
        for (int level = 0; level < levels; level++) {
            setLink(level < known ? before[level] : NIL, level, node);
        }
        if (levels > known) {
            height = levels;
        }
        return true;
    }

    private int newNode(int levels, long lsn, Mutation mutation) {
        byte[] key = mutation.key();
        int tail = Math.max(0, key.length - KeyHead.BYTES);
        int node = nodes.allocate(LINKS + 4L * levels + tail);
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        segment.set(LONG, offset, KeyHead.of(key));
        segment.set(LONG, offset + 8, lsn);
        int kind = EntryKind.TOMBSTONE;
        if (mutation instanceof Mutation.Put put) {
            kind = EntryKind.INLINE;
            byte[] value = put.value();
            if (value.length > 0) {
                int place = values.allocate(value.length);
                MemorySegment.copy(
                        value, 0, values.segment(place), ValueLayout.JAVA_BYTE, values.offset(place), value.length);
                segment.set(INT, offset + 16, place);
                segment.set(INT, offset + 20, value.length);
            }
        }
        segment.set(INT, offset + 24, key.length | levels << 16 | kind << 24);
        if (tail > 0) {
            MemorySegment.copy(key, KeyHead.BYTES, segment, ValueLayout.JAVA_BYTE, offset + LINKS + 4L * levels, tail);
        }
        return node;
    }

    /** The first node at or after key and lsn; {@link #before} has the last one before it on each level. */
    private int search(byte[] key, long head, long lsn) {
        int node = NIL;
        int known = NIL;
        for (int level = height - 1; level >= 0; level--) {
            int next = link(node, level);
            while (next != NIL && next != known && isBefore(next, key, head, lsn)) {
                node = next;
                next = link(node, level);
            }
            before[level] = node;
            known = next;
        }
        return known;
    }

    /** The first node at or after key and lsn, or {@link #NIL}. */
    int ceiling(byte[] key, long head, long lsn) {
        int node = NIL;
        int known = NIL;
        for (int level = height - 1; level >= 0; level--) {
            int next = link(node, level);
            while (next != NIL && next != known && isBefore(next, key, head, lsn)) {
                node = next;
                next = link(node, level);
            }
            known = next;
        }
        return known;
    }

    /** The last node before key and lsn, or {@link #NIL}. */
    int lower(byte[] key, long head, long lsn) {
        int node = NIL;
        int known = NIL;
        for (int level = height - 1; level >= 0; level--) {
            int next = link(node, level);
            while (next != NIL && next != known && isBefore(next, key, head, lsn)) {
                node = next;
                next = link(node, level);
            }
            known = next;
        }
        return node;
    }

    int first() {
        return height == 0 ? NIL : link(NIL, 0);
    }

    int last() {
        int node = NIL;
        for (int level = height - 1; level >= 0; level--) {
            for (int next = link(node, level); next != NIL; next = link(node, level)) {
                node = next;
            }
        }
        return node;
    }

    int next(int node) {
        return link(node, 0);
    }

    /** Looks for the newest visible version of a key. */
    void find(Lookup lookup) {
        int node = ceiling(lookup.key(), lookup.head(), lookup.viewLsn());
        if (node != NIL && isAt(node, lookup.key(), lookup.head())) {
            lookup.found(lsn(node), kind(node) == EntryKind.TOMBSTONE ? null : value(node));
        }
    }

    private int link(int node, int level) {
        return (int) LINK.getAcquire(nodes.segment(node), nodes.offset(node) + LINKS + 4L * level);
    }

    private void setLink(int node, int level, int target) {
        LINK.setRelease(nodes.segment(node), nodes.offset(node) + LINKS + 4L * level, target);
    }

    private boolean isBefore(int node, byte[] key, long head, long lsn) {
        long nodeHead = nodes.segment(node).get(LONG, nodes.offset(node));
        if (nodeHead != head) {
            return Long.compareUnsigned(nodeHead, head) < 0;
        }
        int order = compareTails(node, key);
        return order < 0 || (order == 0 && lsn(node) > lsn);
    }

    private boolean isAt(int node, byte[] key, long head) {
        return nodes.segment(node).get(LONG, nodes.offset(node)) == head && compareTails(node, key) == 0;
    }

    /** Compares keys whose heads are equal. */
    private int compareTails(int node, byte[] key) {
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        int shape = segment.get(INT, offset + 24);
        int length = shape & 0xFFFF;
        int most = Math.min(length, key.length);
        long tail = offset + LINKS + 4L * (shape >>> 16 & 0xFF) - KeyHead.BYTES;
        int i = KeyHead.BYTES;
        for (; i + Long.BYTES <= most; i += Long.BYTES) {
            long left = segment.get(BIG_LONG, tail + i);
            long right = (long) KEY_LONG.get(key, i);
            if (left != right) {
                return Long.compareUnsigned(left, right);
            }
        }
        for (; i < most; i++) {
            int left = segment.get(ValueLayout.JAVA_BYTE, tail + i) & 0xFF;
            int right = key[i] & 0xFF;
            if (left != right) {
                return left - right;
            }
        }
        return length - key.length;
    }

    private int randomHeight() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return Math.min(MAX_HEIGHT, 1 + Long.numberOfTrailingZeros(random) / 2);
    }

    void copyKey(int node, KeyBuffer target) {
        MemorySegment segment = nodes.segment(node);
        long offset = nodes.offset(node);
        int shape = segment.get(INT, offset + 24);
        int length = shape & 0xFFFF;
        byte[] bytes = target.room(Math.max(length, KeyHead.BYTES));
        KEY_LONG.set(bytes, 0, segment.get(LONG, offset));
        if (length > KeyHead.BYTES) {
            long tail = offset + LINKS + 4L * (shape >>> 16 & 0xFF);
            MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, tail, bytes, KeyHead.BYTES, length - KeyHead.BYTES);
        }
        target.filled(length);
    }

    long lsn(int node) {
        return nodes.segment(node).get(LONG, nodes.offset(node) + 8);
    }

    int kind(int node) {
        return nodes.segment(node).get(INT, nodes.offset(node) + 24) >>> 24;
    }

    int valueLength(int node) {
        return nodes.segment(node).get(INT, nodes.offset(node) + 20);
    }

    private byte[] value(int node) {
        byte[] value = new byte[valueLength(node)];
        copyValue(node, value);
        return value;
    }

    void copyValue(int node, byte[] target) {
        int length = valueLength(node);
        if (length > 0) {
            int place = nodes.segment(node).get(INT, nodes.offset(node) + 16);
            MemorySegment.copy(values.segment(place), ValueLayout.JAVA_BYTE, values.offset(place), target, 0, length);
        }
    }

    MemTableCursor cursor(boolean reversed) {
        return new MemTableCursor(this, reversed);
    }

    long entries() {
        return entries.getAcquire();
    }

    boolean isEmpty() {
        return height == 0;
    }

    /** The newest operation in here; 0 if there is none. */
    long lastLsn() {
        return lastLsn.getAcquire();
    }

    /** What was taken from the budget. */
    long takenBytes() {
        return takenBytes.getAcquire();
    }

    /** Counts one more version that has this memtable. */
    void retain() {
        holders.incrementAndGet();
    }

    /** Counts one less; the last one gives the memory back. */
    void release() {
        if (holders.decrementAndGet() == 0) {
            arena.close();
            budget.release(MemoryBudget.Use.MEMTABLE, takenBytes());
        }
    }

    /** For the cursor: a search needs an array of the exact length. */
    static byte[] exact(KeyBuffer key, byte @Nullable [] reusable) {
        if (reusable != null && reusable.length == key.length()) {
            System.arraycopy(key.array(), 0, reusable, 0, key.length());
            return reusable;
        }
        return key.toArray();
    }
}
