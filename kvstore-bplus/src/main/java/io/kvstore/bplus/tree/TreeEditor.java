package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.page.NodeEditor;
import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Changes one entry of the tree at a time, and the pages that have to change with it. One thread at a time changes the tree;
 * readers go on meanwhile. The thread that asks for a change sees to it first that everything on the path is in memory, and
 * that there is memory for new pages.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A page that a change touches is marked as being changed before its bytes change. It stays marked until all these pages
 *       and the root are what they should be. So a reader sees the tree before or after a change, or begins again.
 *   <li>Before anything in a leaf is changed, all pages on the path to it are of the current generation.
 *   <li>Keys below the first key of an inner page also lead to its first child, because the pages before it may have been
 *       dropped. Before such a key gets an entry of its own, the key of the first child is lowered to where the page begins, so
 *       that the keys of a page ascend.
 *   <li>The lsn of a page is that of the last operation that changed entries or children that are found through it. A new id of
 *       a child that was copied does not count. An answer rests on the greatest lsn on its path.
 *   <li>A page that leaves the newest state counts as changed once, though its bytes stay as they are: if an older state keeps
 *       the page, the ids of its children may be given to others before it goes. So a reader of the newest state that is at
 *       this page begins again.
 * </ol>
 */
final class TreeEditor {

    /** A page is a candidate for merging if more than this many fourths of its bytes are free. */
    private static final int SPARSE_PARTS = 3;

    /** As {@link #SPARSE_PARTS}, for a walk through all leaves. */
    private static final int HALF_PARTS = 2;

    private final PageBuffer buffer;
    private final TreePages pages;
    private final int order;
    private final NodeEditor editor = new NodeEditor();
    private final LeafSharing sharing;
    private final ValueEntries values;
    private final TreePath path = new TreePath();
    private volatile long root;
    private volatile int height;
    private long entries;
    private long lsn;
    private byte[] inserted = {};

    /** Whether the path leads to the key that is changed next. */
    private boolean isPathKnown;

    /** Whether the path leads to the keys from {@link #runKey} up to {@link #runEnd}, until any other change of the tree. */
    private boolean isRun;

    private byte[] runKey = {};
    private byte @Nullable [] runEnd;

    TreeEditor(TreeParts parts, ValueEntries values, int order) {
        this.buffer = parts.buffer();
        this.pages = new TreePages(parts);
        this.values = values;
        this.order = order;
        this.sharing = new LeafSharing(pages, editor, order);
        this.root = parts.versions().now().rootId();
        this.entries = parts.versions().now().entries();
    }

    long root() {
        return root;
    }

    long entries() {
        return entries;
    }

    /** Begins a run of changes. {@link #advance} finds their paths. All pages that {@link #advance} finds stay in memory. */
    void beginRun() {
        isRun = false;
    }

    /** Sets the operation of the changes that follow. */
    void begin(long operation) {
        lsn = operation;
    }

    /** Finds the path to a key, as far as it is in memory. Returns the missing page, or 0. */
    long find(byte[] key) {
        isRun = false;
        isPathKnown = false;
        return path.find(buffer, root, key);
    }

    TreePath path() {
        return path;
    }

    /** Finds the path to a key, at no cost if it is that of the key before. Returns the missing page, or 0. */
    long advance(byte[] key) {
        if (!isOnPath(key)) {
            long missing = path.find(buffer, root, key);
            isRun = missing == 0 && root != 0;
            isPathKnown = false;
            if (!isRun) {
                return missing;
            }
            runEnd = path.upper();
        }
        runKey = key;
        isPathKnown = true;
        return 0;
    }

    /** Whether a key belongs to the leaf to which {@link #advance} found the path. */
    boolean isOnPath(byte[] key) {
        return isRun && KeyOrder.compare(key, runKey) >= 0 && (runEnd == null || KeyOrder.compare(key, runEnd) < 0);
    }

    /** Gives a key a value, or the pointer to one that is kept {@code apart}, as {@link ValueEntries} has it. */
    void put(byte[] key, Slice payload, boolean apart) {
        inserted = key;
        if (root == 0) {
            root(newNode(1, 0));
        }
        descend(key);
        Page leaf = path.leaf();
        pages.change(leaf);
        int index = Node.find(leaf.bytes(), key);
        if (index >= 0) {
            values.displace(leaf, index, key.length);
            if (NodeEditor.replace(leaf.bytes(), index, payload, apart)) {
                stamp(leaf);
                pages.endChanges();
                return;
            }
            NodeEditor.remove(leaf.bytes(), index);
            stamp(leaf);
            index = -1 - index;
        } else {
            entries++;
        }
        for (int tries = 0; !insert(-1 - index, key, payload, apart); tries++) {
            makeRoom(path.last(), key.length + payload.length(), tries == 0);
            descend(key);
            index = Node.find(path.leaf().bytes(), key);
        }
        pages.endChanges();
    }

    private boolean insert(int index, byte[] key, Slice payload, boolean apart) {
        Page leaf = path.leaf();
        path.index(path.last(), index);
        if (Node.count(leaf.bytes()) >= order) {
            return false;
        }
        pages.change(leaf);
        boolean done = editor.insert(leaf.bytes(), index, key, payload, apart);
        if (done) {
            stamp(leaf);
        }
        return done;
    }

    private Page newNode(int units, int level) {
        Page page = pages.create(units);
        NodeEditor.clear(page.bytes(), page.id(), level);
        NodeEditor.setLsn(page.bytes(), lsn);
        return page;
    }

    /** Makes the path to a key, of pages that may be changed. Uses the path that {@link #advance} found, but only once. */
    private void descend(byte[] key) {
        if (isPathKnown) {
            isPathKnown = false;
            for (int depth = 0; depth < path.length(); depth++) {
                makeWritable(depth);
            }
            return;
        }
        path.clear();
        long id = root;
        while (true) {
            path.add(pages.get(id));
            int depth = path.last();
            makeWritable(depth);
            Page page = path.page(depth);
            if (Node.level(page.bytes()) == 0) {
                return;
            }
            path.index(depth, Node.childIndex(page.bytes(), key));
            id = Node.child(page.bytes(), path.index(depth));
        }
    }

    /** Raises the lsn of a page to that of this operation, which changes something that is found through the page. */
    private void stamp(Page page) {
        NodeEditor.setLsn(page.bytes(), Math.max(lsn, Node.lsn(page.bytes())));
    }

    /** Replaces a page of an older generation with a copy. */
    private void makeWritable(int depth) {
        Page old = path.page(depth);
        if (!pages.isCurrent(old)) {
            replace(depth, pages.copyOf(old));
        }
    }

    private void replace(int depth, Page page) {
        Page old = path.page(depth);
        if (depth == 0) {
            root(page);
        } else {
            Page parent = path.page(depth - 1);
            pages.change(parent);
            NodeEditor.setChild(parent.bytes(), path.index(depth - 1), page.id());
        }
        path.page(depth, page);
        pages.retire(old);
    }

    /**
     * Splits a page of the path or makes it larger, or does so with its parent first. The path is worthless afterwards. With
     * {@code mayShare} it is enough to move entries to a neighbour.
     */
    private void makeRoom(int depth, int bytes, boolean mayShare) {
        isRun = false;
        Page page = path.page(depth);
        int count = Node.count(page.bytes());
        pages.change(page);
        if (count < 2) {
            enlarge(depth, bytes);
        } else if (depth == 0) {
            Page above = newNode(1, Node.level(page.bytes()) + 1);
            if (!editor.insertChild(above.bytes(), 0, new byte[0], page.id())) {
                throw new IllegalStateException("an empty page has no room");
            }
            root(above);
        } else if (mayShare && pages.isShort() && sharing.share(path, depth, bytes)) {
            stamp(path.page(depth - 1));
        } else {
            split(depth);
        }
    }

    private void enlarge(int depth, int bytes) {
        Page page = path.page(depth);
        int units = page.units() + 1 + bytes / PageFile.UNIT_BYTES;
        Page larger = newNode(units, Node.level(page.bytes()));
        NodeEditor.copyAll(larger.bytes(), page.bytes());
        replace(depth, larger);
    }

    private void split(int depth) {
        Page page = path.page(depth);
        Page parent = path.page(depth - 1);
        int parentIndex = path.index(depth - 1);
        int level = Node.level(page.bytes());
        int at = NodeEditor.divideAt(page.bytes(), path.index(depth));
        at = level > 0 ? Math.min(at, Node.count(page.bytes()) - 1) : at;
        byte[] separator = separatorAt(page, at, level);
        Page right = newNode(page.units(), level);
        pages.change(parent);
        byte[] begin = path.lower(depth - 1);
        boolean linked = Node.count(parent.bytes()) < order
                && editor.lowerFirstKey(parent.bytes(), separator, begin)
                && editor.insertChild(parent.bytes(), parentIndex + 1, separator, right.id());
        if (!linked) {
            pages.retire(right);
            makeRoom(depth - 1, separator.length + begin.length, false);
            return;
        }
        stamp(parent);
        if (at < Node.count(page.bytes())) {
            long before = Node.lsn(page.bytes());
            editor.split(page.bytes(), right.bytes(), at);
            NodeEditor.setLsn(right.bytes(), before);
        }
    }

    /** The key that leads to the entries from {@code at} on: behind the last entry, the key that is inserted and later ones. */
    private byte[] separatorAt(Page page, int at, int level) {
        byte[] first = at < Node.count(page.bytes()) ? Node.key(page.bytes(), at) : inserted;
        return level > 0 ? first : NodeEditor.separator(Node.key(page.bytes(), at - 1), first);
    }

    void remove(byte[] key) {
        int index = root == 0 ? -1 : Node.find((isPathKnown ? path.leaf() : leafOf(key)).bytes(), key);
        if (index < 0) {
            return;
        }
        descend(key);
        Page leaf = path.leaf(); // or a copy of the leaf that has the key
        pages.change(leaf);
        values.displace(leaf, index, key.length);
        NodeEditor.remove(leaf.bytes(), index);
        stamp(leaf);
        entries--;
        tidy(path.last());
        pages.endChanges();
    }

    private Page leafOf(byte[] key) {
        Page page = pages.get(root);
        while (Node.level(page.bytes()) > 0) {
            page = pages.get(Node.childFor(page.bytes(), key));
        }
        return page;
    }

    /** Called after an entry of a page went. Drops an empty page, and merges a sparse one with a neighbour. */
    private void tidy(int depth) {
        Page page = path.page(depth);
        int count = Node.count(page.bytes());
        if (depth == 0) {
            tidyRoot(page, count);
        } else if (count == 0) {
            dropChild(depth);
        } else if (isSparse(page, SPARSE_PARTS)) {
            int index = path.index(depth - 1);
            if (!mergeChildren(depth, index) && index > 0) {
                mergeChildren(depth, index - 1);
            }
        }
    }

    private void tidyRoot(Page page, int count) {
        boolean isLeaf = Node.level(page.bytes()) == 0;
        if (count == 0) {
            isRun = false;
            root = 0;
            height = 0;
            pages.retire(page);
        } else if (!isLeaf && count == 1) {
            Page next = pages.find(Node.child(page.bytes(), 0), Node.level(page.bytes()) - 1);
            if (next != null) {
                becomeRoot(next, Node.lsn(page.bytes()));
                pages.retire(page);
            }
        }
    }

    /** Lets the only child of the root take the place and the lsn of the root. */
    private void becomeRoot(Page child, long lsnAbove) {
        isRun = false;
        Page next = pages.isCurrent(child) ? child : pages.copyOf(child);
        pages.change(next);
        NodeEditor.setLsn(next.bytes(), Math.max(lsnAbove, Node.lsn(next.bytes())));
        root(next);
        if (!next.equals(child)) {
            pages.retire(child);
        }
        if (Node.level(next.bytes()) > 0) {
            tidyRoot(next, Node.count(next.bytes()));
        }
    }

    /** Drops a page of the path that is empty. Its keys belong to a neighbour from now on, or the page above goes too. */
    private void dropChild(int depth) {
        isRun = false;
        Page page = path.page(depth);
        Page parent = path.page(depth - 1);
        int index = path.index(depth - 1);
        pages.change(parent);
        if (index == 0 && Node.count(parent.bytes()) > 1) {
            NodeEditor.setChild(parent.bytes(), 0, Node.child(parent.bytes(), 1));
            NodeEditor.remove(parent.bytes(), 1);
        } else {
            NodeEditor.remove(parent.bytes(), index);
        }
        stamp(parent);
        pages.retire(page);
        tidy(depth - 1);
    }

    /** Merges the leaf of {@link #advance} with a neighbour, if both are half empty. Returns a missing neighbour, or 0. */
    long mergeSparse() {
        int depth = path.last();
        if (depth == 0 || !isSparse(path.leaf(), HALF_PARTS)) {
            return 0;
        }
        Page parent = path.page(depth - 1);
        int index = path.index(depth - 1);
        int neighbour = index + 1 < Node.count(parent.bytes()) ? index + 1 : index - 1;
        long id = neighbour < 0 ? 0 : Node.child(parent.bytes(), neighbour);
        Page other = id == 0 ? null : pages.find(id, 0);
        if (other == null) {
            return id;
        }
        if (isSparse(other, HALF_PARTS)) {
            isPathKnown = true;
            descend(runKey);
            isRun = false;
            if (Node.count(path.leaf().bytes()) == 0) {
                dropChild(depth);
            } else {
                mergeChildren(depth, Math.min(index, neighbour));
            }
            pages.endChanges();
        }
        return 0;
    }

    private static boolean isSparse(Page page, int parts) {
        return NodeEditor.freeBytes(page.bytes()) * 4L > page.bytes().byteSize() * parts;
    }

    /** Merges two neighbouring children of a page of the path, if both are in memory and fit into one page. */
    private boolean mergeChildren(int depth, int index) {
        Page parent = path.page(depth - 1);
        if (index + 1 >= Node.count(parent.bytes())) {
            return false;
        }
        int level = Node.level(parent.bytes()) - 1;
        Page left = pages.find(Node.child(parent.bytes(), index), level);
        Page right = pages.find(Node.child(parent.bytes(), index + 1), level);
        if (left == null || right == null || !canMerge(parent, left, right, index)) {
            return false;
        }
        pages.change(parent);
        Page merged = pages.isCurrent(left) ? left : pages.copyOf(left);
        pages.change(merged);
        pages.change(right);
        long newest = Math.max(Node.lsn(left.bytes()), Node.lsn(right.bytes()));
        if (!editor.merge(merged.bytes(), right.bytes())) {
            if (merged != left) {
                pages.retire(merged);
            }
            isRun = false; // a copy for each removal would be more pages than were made ready
            return false;
        }
        isRun = false;
        NodeEditor.setLsn(merged.bytes(), Math.max(newest, lsn));
        if (merged != left) {
            NodeEditor.setChild(parent.bytes(), index, merged.id());
            pages.retire(left);
        }
        NodeEditor.remove(parent.bytes(), index + 1);
        stamp(parent);
        pages.retire(right);
        tidy(depth - 1);
        return true;
    }

    private boolean canMerge(Page parent, Page left, Page right, int index) {
        boolean fits = NodeEditor.usedBytes(left.bytes()) + NodeEditor.usedBytes(right.bytes())
                <= NodeEditor.usableBytes(left.bytes());
        if (!fits || Node.count(left.bytes()) + Node.count(right.bytes()) > order || left.units() < right.units()) {
            return false;
        }
        return Node.level(left.bytes()) == 0
                || Arrays.equals(Node.key(right.bytes(), 0), Node.key(parent.bytes(), index + 1));
    }

    private void root(Page page) {
        height = Node.level(page.bytes()) + 1;
        root = page.id();
    }

    /** How many pages the tree has from the root to a leaf; 0 until the root is read. */
    int height() {
        Page page = height > 0 || root == 0 ? null : buffer.get(root);
        return page == null ? height : Node.level(page.bytes()) + 1;
    }
}
