package io.kvstore.bplus;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.page.NodeEditor;
import io.kvstore.data.Mutation;
import io.kvstore.io.Slice;
import io.kvstore.value.ValuePointer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The writer's side of the tree. One thread at a time; readers look on.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>All pages that one change touches are marked as being changed from before the first of them is changed until
 *       all of them and the root are what they should be. So a reader sees the tree before or after a change, or comes
 *       again.
 *   <li>The path to a leaf is made of pages of the current generation from the root down before anything in it is changed.
 *   <li>The key of the first child of an inner page is never changed: keys below it lead there too.
 *   <li>A page's lsn is that of the last operation that changed what is found through it: entries or children, but not
 *       the id of a child that was copied. What an answer rests on is the greatest lsn on its path.
 * </ol>
 */
final class Tree {

    /** Of a page's bytes that are free, so many parts of 4 make it a candidate for merging. */
    private static final int SPARSE_PARTS = 3;

    private final PageBuffer buffer;
    private final PageIds ids;
    private final Generations generations;
    private final int order;
    private final NodeEditor editor = new NodeEditor();
    private final ValueEntries values;
    private final int leastApartBytes;
    private final List<Page> changing = new ArrayList<>();
    private final TreePath path = new TreePath();
    private volatile long root;
    private long entries;
    private long lsn;
    private byte[] inserted = {};
    private boolean isPathKnown;

    /** @param shape order and threshold */
    Tree(TreeParts parts, TreeShape shape) {
        this.buffer = parts.buffer();
        this.ids = parts.ids();
        this.generations = parts.generations();
        this.values = new ValueEntries(parts.values(), parts.index(), buffer.file());
        this.order = shape.order();
        this.leastApartBytes = shape.leastApartBytes();
        this.root = generations.now().rootId();
        this.entries = generations.now().entries();
    }

    /** Where a search in the newest state begins, 0 if it is empty. */
    long root() {
        return root;
    }

    /** Applies an operation; everything on its paths is in memory. */
    void apply(long operation, List<Mutation> mutations) {
        synchronized (generations) {
            generations.begin(operation);
            values.begin(operation);
            lsn = operation;
            for (Mutation mutation : mutations) {
                switch (mutation) {
                    case Mutation.Put(byte[] key, byte[] value) -> put(key, value);
                    case Mutation.Remove(byte[] key) -> remove(key);
                }
            }
            end(operation);
        }
    }

    /** What was changed is the newest state. */
    private void end(long operation) {
        for (long segment : values.takeEmptied()) {
            generations.retire(-segment, 0);
        }
        generations.applied(new Generations.State(root, operation, entries));
    }

    /**
     * Writes values once more and lets their entries point there, if they still point to where the values were read;
     * everything on the paths is in memory. What answers rest on does not change by that, so it has no lsn of its own.
     */
    void move(List<Moving> all) {
        synchronized (generations) {
            Generations.State before = generations.now();
            isPathKnown = false;
            generations.begin(before.lsn() + 1);
            for (Moving one : all) {
                if (isAt(one.key(), one.from())) {
                    move(one);
                }
            }
            end(before.lsn());
        }
    }

    private void move(Moving one) {
        descend(one.key());
        lsn = Node.lsn(path.leaf().bytes());
        put(one.key(), values.append(one.key(), one.lsn(), one.value()), true);
    }

    /**
     * A value that is to be elsewhere.
     *
     * @param from where it was read
     * @param lsn of the write that put it
     */
    record Moving(ValuePointer from, byte[] key, long lsn, byte[] value) {}

    private void put(byte[] key, byte[] value) {
        if (value.length >= leastApartBytes) {
            put(key, values.append(key, lsn, value), true);
        } else {
            put(key, Slice.of(value), false);
        }
    }

    private void put(byte[] key, Slice payload, boolean apart) {
        inserted = key;
        if (root == 0) {
            root = newNode(1, 0).id();
        }
        descend(key);
        Page leaf = path.leaf();
        change(leaf);
        int index = Node.find(leaf.bytes(), key);
        values.replace(key, leaf, index, apart);
        if (index >= 0) {
            if (NodeEditor.replace(leaf.bytes(), index, payload, apart)) {
                stamp(leaf);
                endChanges();
                return;
            }
            NodeEditor.remove(leaf.bytes(), index);
            stamp(leaf);
            index = -1 - index;
        } else {
            entries++;
        }
        while (!insert(-1 - index, key, payload, apart)) {
            makeRoom(path.last(), key.length + payload.length());
            descend(key);
            index = Node.find(path.leaf().bytes(), key);
        }
        endChanges();
    }

    private boolean insert(int index, byte[] key, Slice payload, boolean apart) {
        Page leaf = path.leaf();
        path.index(path.last(), index);
        if (Node.count(leaf.bytes()) >= order) {
            return false;
        }
        change(leaf);
        boolean done = apart
                ? editor.insertPointer(leaf.bytes(), index, key, payload)
                : editor.insertValue(leaf.bytes(), index, key, payload);
        if (done) {
            stamp(leaf);
        }
        return done;
    }

    private void retire(Page page) {
        ids.retire(page.id());
        generations.retire(page.id(), page.generation());
    }

    private Page newNode(int units, int level) {
        Page page = buffer.create(units, generations.current());
        NodeEditor.clear(page.bytes(), page.id(), level);
        NodeEditor.setLsn(page.bytes(), lsn);
        return page;
    }

    /** Whether a key has its value there; everything on its path is in memory. */
    private boolean isAt(byte[] key, ValuePointer there) {
        Page leaf = root == 0 ? null : leafOf(key);
        return leaf != null && values.isAt(leaf, Node.find(leaf.bytes(), key), there);
    }

    /** Goes to the leaf for a key, on pages that may be changed; once on the path that was found when it was reserved. */
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
            path.add(pageOf(id));
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

    /** What is found through the page changes with this operation. */
    private void stamp(Page page) {
        NodeEditor.setLsn(page.bytes(), Math.max(lsn, Node.lsn(page.bytes())));
    }

    private Page pageOf(long id) {
        Page page = buffer.get(id);
        if (page == null) {
            throw new IllegalStateException("page " + id + " was reserved and is not in memory");
        }
        page.touch();
        return page;
    }

    /** Copies a page of an older generation. */
    private void makeWritable(int depth) {
        Page old = path.page(depth);
        if (old.generation() != generations.current()) {
            replace(depth, copyOf(old));
        }
    }

    /** Puts another page in the place of one on the path. */
    private void replace(int depth, Page page) {
        Page old = path.page(depth);
        if (depth == 0) {
            root = page.id();
        } else {
            Page parent = path.page(depth - 1);
            change(parent);
            NodeEditor.setChild(parent.bytes(), path.index(depth - 1), page.id());
        }
        path.page(depth, page);
        retire(old);
    }

    private void change(Page page) {
        if (!changing.contains(page)) {
            page.beginChange();
            changing.add(page);
        }
    }

    private void endChanges() {
        changing.forEach(Page::endChange);
        changing.clear();
    }

    /** Splits a page of the path, or makes it larger, or its parent first; the path is worthless afterwards. */
    private void makeRoom(int depth, int bytes) {
        Page page = path.page(depth);
        int count = Node.count(page.bytes());
        change(page);
        if (count < 2) {
            enlarge(depth, bytes);
        } else if (depth == 0) {
            Page above = newNode(1, Node.level(page.bytes()) + 1);
            if (!editor.insertChild(above.bytes(), 0, new byte[0], page.id())) {
                throw new IllegalStateException("an empty page has no room");
            }
            root = above.id();
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
        change(parent);
        boolean linked = Node.count(parent.bytes()) < order
                && editor.insertChild(parent.bytes(), parentIndex + 1, separator, right.id());
        if (!linked) {
            retire(right);
            makeRoom(depth - 1, separator.length);
            return;
        }
        stamp(parent);
        if (at < Node.count(page.bytes())) {
            long before = Node.lsn(page.bytes());
            editor.split(page.bytes(), right.bytes(), at);
            NodeEditor.setLsn(right.bytes(), before);
        }
    }

    /** What leads to the entries from {@code at} on; behind the last entry to all that may come. */
    private byte[] separatorAt(Page page, int at, int level) {
        byte[] first = at < Node.count(page.bytes()) ? Node.key(page.bytes(), at) : inserted;
        return level > 0 ? first : NodeEditor.separator(Node.key(page.bytes(), at - 1), first);
    }

    private void remove(byte[] key) {
        if (root == 0 || Node.find(leafOf(key).bytes(), key) < 0) {
            return;
        }
        descend(key);
        Page leaf = path.leaf();
        change(leaf);
        int index = Node.find(leaf.bytes(), key);
        values.remove(key, leaf, index);
        NodeEditor.remove(leaf.bytes(), index);
        stamp(leaf);
        entries--;
        tidy(path.last());
        endChanges();
    }

    private Page leafOf(byte[] key) {
        Page page = pageOf(root);
        while (Node.level(page.bytes()) > 0) {
            page = pageOf(Node.childFor(page.bytes(), key));
        }
        return page;
    }

    /** After an entry of a page went: drops an empty page, merges a sparse one with a neighbour. */
    private void tidy(int depth) {
        Page page = path.page(depth);
        int count = Node.count(page.bytes());
        if (depth == 0) {
            tidyRoot(page, count);
        } else if (count == 0) {
            dropChild(depth);
        } else if (NodeEditor.freeBytes(page.bytes()) * 4L > page.bytes().byteSize() * SPARSE_PARTS) {
            int index = path.index(depth - 1);
            if (!mergeChildren(depth, index) && index > 0) {
                mergeChildren(depth, index - 1);
            }
        }
    }

    private void tidyRoot(Page page, int count) {
        boolean isLeaf = Node.level(page.bytes()) == 0;
        if (count == 0) {
            root = 0;
            retire(page);
        } else if (!isLeaf && count == 1) {
            root = Node.child(page.bytes(), 0);
            retire(page);
            Page next = buffer.get(root);
            if (next != null && Node.level(next.bytes()) > 0 && Node.count(next.bytes()) == 1) {
                tidyRoot(next, 1);
            }
        }
    }

    /**
     * The page of the path has nothing in it. Its keys then belong to a neighbour, which must be in memory: the next change of
     * the same operation may be there. If it is not, the empty page stays.
     */
    private void dropChild(int depth) {
        Page page = path.page(depth);
        Page parent = path.page(depth - 1);
        int index = path.index(depth - 1);
        int neighbour = index == 0 ? 1 : index - 1;
        if (neighbour >= Node.count(parent.bytes()) || buffer.get(Node.child(parent.bytes(), neighbour)) == null) {
            return;
        }
        change(parent);
        if (index == 0) {
            NodeEditor.setChild(parent.bytes(), 0, Node.child(parent.bytes(), 1));
            NodeEditor.remove(parent.bytes(), 1);
        } else {
            NodeEditor.remove(parent.bytes(), index);
        }
        stamp(parent);
        retire(page);
        tidy(depth - 1);
    }

    /** Merges two children of a page of the path, if both are in memory and fit into one. */
    private boolean mergeChildren(int depth, int index) {
        Page parent = path.page(depth - 1);
        if (index + 1 >= Node.count(parent.bytes())) {
            return false;
        }
        Page left = buffer.get(Node.child(parent.bytes(), index));
        Page right = buffer.get(Node.child(parent.bytes(), index + 1));
        if (left == null || right == null || !canMerge(parent, left, right, index)) {
            return false;
        }
        change(parent);
        Page merged = left.generation() == generations.current() ? left : copyOf(left);
        change(merged);
        change(right);
        long newest = Math.max(Node.lsn(left.bytes()), Node.lsn(right.bytes()));
        if (!editor.merge(merged.bytes(), right.bytes())) {
            if (merged != left) {
                retire(merged);
            }
            return false;
        }
        NodeEditor.setLsn(merged.bytes(), Math.max(newest, lsn));
        if (merged != left) {
            NodeEditor.setChild(parent.bytes(), index, merged.id());
            retire(left);
        }
        NodeEditor.remove(parent.bytes(), index + 1);
        stamp(parent);
        retire(right);
        tidy(depth - 1);
        return true;
    }

    private boolean canMerge(Page parent, Page left, Page right, int index) {
        if (Node.count(left.bytes()) + Node.count(right.bytes()) > order || left.units() < right.units()) {
            return false;
        }
        return Node.level(left.bytes()) == 0
                || Arrays.equals(Node.key(right.bytes(), 0), Node.key(parent.bytes(), index + 1));
    }

    private Page copyOf(Page old) {
        Page copy = buffer.create(old.units(), generations.current());
        copy.bytes().copyFrom(old.bytes());
        NodeEditor.setId(copy.bytes(), copy.id());
        return copy;
    }

    /** The pages on the way to the keys that are not in memory; empty if all are. */
    List<Long> missing(List<Mutation> mutations) {
        List<Long> missing = List.of();
        for (Mutation mutation : mutations) {
            long id = path.find(buffer, root, mutation.key());
            if (id != 0) {
                missing = missing.isEmpty() ? new ArrayList<>() : missing;
                missing.add(id);
            }
        }
        isPathKnown = mutations.size() == 1 && missing.isEmpty() && root != 0;
        return missing;
    }

    /**
     * Shows the leaf that {@link #missing} just found the way to, if the tree is not empty.
     *
     * @return where the next leaf begins; null if it was the last
     */
    byte @Nullable [] showFound(Consumer<Page> visitor) {
        if (path.length() > 0) {
            visitor.accept(path.leaf());
        }
        return path.upper();
    }

    /** Lets the index know the entries of a leaf. */
    void addTo(HashIndex known, Page leaf) {
        values.addTo(known, leaf);
    }

    /** Adds the pointers of a leaf that lead into some segments. */
    void pointers(Page leaf, Set<Long> segments, List<ValuePointer> found) {
        values.pointers(leaf, segments, found);
    }

    /** How many pages the tree has from the root to a leaf. */
    int height() {
        Page page = root == 0 ? null : buffer.get(root);
        return page == null ? 0 : Node.level(page.bytes()) + 1;
    }
}
