package io.kvstore.bplus;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.page.NodeEditor;
import io.kvstore.data.Mutation;
import io.kvstore.io.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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

    /** Values above it get pages of their own. */
    static final int MAX_INLINE_BYTES = 1_024;

    /** Of a page's bytes that are free, so many parts of 4 make it a candidate for merging. */
    private static final int SPARSE_PARTS = 3;

    private final PageBuffer buffer;
    private final PageIds ids;
    private final Generations generations;
    private final int order;
    private final String directory;
    private final NodeEditor editor = new NodeEditor();
    private final List<Page> changing = new ArrayList<>();
    private final List<Step> path = new ArrayList<>();
    private volatile long root;
    private long entries;
    private long lsn;
    private byte[] inserted = {};

    /** A page on the way to a leaf, and which entry of it leads on. */
    private static final class Step {
        Page page;
        int index;

        Step(Page page) {
            this.page = page;
        }
    }

    Tree(PageBuffer buffer, PageIds ids, Generations generations, int order, String directory) {
        this.buffer = buffer;
        this.ids = ids;
        this.generations = generations;
        this.order = order;
        this.directory = directory;
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
            lsn = operation;
            for (Mutation mutation : mutations) {
                switch (mutation) {
                    case Mutation.Put(byte[] key, byte[] value) -> put(key, value);
                    case Mutation.Remove(byte[] key) -> remove(key);
                }
            }
            generations.applied(new Generations.State(root, operation, entries));
        }
    }

    private void put(byte[] key, byte[] value) {
        inserted = key;
        boolean apart = value.length > MAX_INLINE_BYTES;
        Slice payload = Slice.of(apart ? Blobs.write(buffer, generations.current(), value) : value);
        if (root == 0) {
            root = newNode(1, 0).id();
        }
        descend(key);
        Page leaf = top().page;
        change(leaf);
        int index = Node.find(leaf.bytes(), key);
        if (index >= 0) {
            dropEntry(leaf, index);
        } else {
            entries++;
        }
        while (!insert(key, payload, apart)) {
            makeRoom(path.size() - 1, key.length + payload.length());
            descend(key);
        }
        endChanges();
    }

    private boolean insert(byte[] key, Slice payload, boolean apart) {
        Page leaf = top().page;
        int index = -1 - Node.find(leaf.bytes(), key);
        top().index = index;
        if (Node.count(leaf.bytes()) >= order) {
            return false;
        }
        change(leaf);
        boolean done = apart
                ? editor.insertPointer(leaf.bytes(), index, key, payload)
                : editor.insertValue(leaf.bytes(), index, key, payload);
        if (done) {
            NodeEditor.setLsn(leaf.bytes(), lsn);
        }
        return done;
    }

    private Step top() {
        return path.getLast();
    }

    /** Removes an entry of a leaf, and the pages of its value. */
    private void dropEntry(Page leaf, int index) {
        if (Node.isPointer(leaf.bytes(), index)) {
            for (long id : Blobs.Pointer.read(directory, Node.payload(leaf.bytes(), index))
                    .ids()) {
                Page page = buffer.get(id);
                retire(id, page == null ? 0 : page.generation());
            }
        }
        NodeEditor.remove(leaf.bytes(), index);
        NodeEditor.setLsn(leaf.bytes(), lsn);
    }

    private void retire(long id, long born) {
        ids.retire(id);
        generations.retire(id, born);
    }

    private Page newNode(int units, int level) {
        Page page = buffer.create(units, generations.current());
        NodeEditor.clear(page.bytes(), page.id(), level);
        NodeEditor.setLsn(page.bytes(), lsn);
        return page;
    }

    /** Goes to the leaf for a key, on pages that may be changed. */
    private void descend(byte[] key) {
        path.clear();
        long id = root;
        while (true) {
            Step step = new Step(pageOf(id));
            path.add(step);
            makeWritable(path.size() - 1);
            if (Node.level(step.page.bytes()) == 0) {
                return;
            }
            step.index = Node.childIndex(step.page.bytes(), key);
            id = Node.child(step.page.bytes(), step.index);
        }
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
        Page old = path.get(depth).page;
        if (old.generation() != generations.current()) {
            replace(depth, copyOf(old));
        }
    }

    /** Puts another page in the place of one on the path. */
    private void replace(int depth, Page page) {
        Page old = path.get(depth).page;
        if (depth == 0) {
            root = page.id();
        } else {
            Step parent = path.get(depth - 1);
            change(parent.page);
            NodeEditor.setChild(parent.page.bytes(), parent.index, page.id());
        }
        path.get(depth).page = page;
        retire(old.id(), old.generation());
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
        Page page = path.get(depth).page;
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
        Page page = path.get(depth).page;
        int units = page.units() + 1 + bytes / PageFile.UNIT_BYTES;
        Page larger = newNode(units, Node.level(page.bytes()));
        NodeEditor.copyAll(larger.bytes(), page.bytes());
        replace(depth, larger);
    }

    private void split(int depth) {
        Page page = path.get(depth).page;
        Step parent = path.get(depth - 1);
        int level = Node.level(page.bytes());
        int at = NodeEditor.divideAt(page.bytes(), path.get(depth).index);
        at = level > 0 ? Math.min(at, Node.count(page.bytes()) - 1) : at;
        byte[] separator = separatorAt(page, at, level);
        Page right = newNode(page.units(), level);
        change(parent.page);
        boolean linked = Node.count(parent.page.bytes()) < order
                && editor.insertChild(parent.page.bytes(), parent.index + 1, separator, right.id());
        if (!linked) {
            retire(right.id(), right.generation());
            makeRoom(depth - 1, separator.length);
            return;
        }
        NodeEditor.setLsn(parent.page.bytes(), lsn);
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
        if (root == 0 || !contains(key)) {
            return;
        }
        descend(key);
        Page leaf = top().page;
        change(leaf);
        dropEntry(leaf, Node.find(leaf.bytes(), key));
        entries--;
        tidy(path.size() - 1);
        endChanges();
    }

    private boolean contains(byte[] key) {
        Page page = pageOf(root);
        while (Node.level(page.bytes()) > 0) {
            page = pageOf(Node.childFor(page.bytes(), key));
        }
        return Node.find(page.bytes(), key) >= 0;
    }

    /** After an entry of a page went: drops an empty page, merges a sparse one with a neighbour. */
    private void tidy(int depth) {
        Page page = path.get(depth).page;
        int count = Node.count(page.bytes());
        if (depth == 0) {
            tidyRoot(page, count);
        } else if (count == 0) {
            dropChild(depth);
        } else if (NodeEditor.freeBytes(page.bytes()) * 4L > page.bytes().byteSize() * SPARSE_PARTS) {
            Step parent = path.get(depth - 1);
            if (!mergeChildren(depth, parent.index) && parent.index > 0) {
                mergeChildren(depth, parent.index - 1);
            }
        }
    }

    private void tidyRoot(Page page, int count) {
        boolean isLeaf = Node.level(page.bytes()) == 0;
        if (count == 0) {
            root = 0;
            retire(page.id(), page.generation());
        } else if (!isLeaf && count == 1) {
            root = Node.child(page.bytes(), 0);
            retire(page.id(), page.generation());
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
        Page page = path.get(depth).page;
        Step parent = path.get(depth - 1);
        int neighbour = parent.index == 0 ? 1 : parent.index - 1;
        if (neighbour >= Node.count(parent.page.bytes())
                || buffer.get(Node.child(parent.page.bytes(), neighbour)) == null) {
            return;
        }
        change(parent.page);
        if (parent.index == 0) {
            NodeEditor.setChild(parent.page.bytes(), 0, Node.child(parent.page.bytes(), 1));
            NodeEditor.remove(parent.page.bytes(), 1);
        } else {
            NodeEditor.remove(parent.page.bytes(), parent.index);
        }
        NodeEditor.setLsn(parent.page.bytes(), lsn);
        retire(page.id(), page.generation());
        tidy(depth - 1);
    }

    /** Merges two children of a page of the path, if both are in memory and fit into one. */
    private boolean mergeChildren(int depth, int index) {
        Page parent = path.get(depth - 1).page;
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
                retire(merged.id(), merged.generation());
            }
            return false;
        }
        NodeEditor.setLsn(merged.bytes(), Math.max(newest, lsn));
        if (merged != left) {
            NodeEditor.setChild(parent.bytes(), index, merged.id());
            retire(left.id(), left.generation());
        }
        NodeEditor.remove(parent.bytes(), index + 1);
        NodeEditor.setLsn(parent.bytes(), lsn);
        retire(right.id(), right.generation());
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
        List<Long> missing = new ArrayList<>();
        for (Mutation mutation : mutations) {
            long id = root;
            Page page = id == 0 ? null : buffer.get(id);
            while (page != null && Node.level(page.bytes()) > 0) {
                id = Node.childFor(page.bytes(), mutation.key());
                page = buffer.get(id);
            }
            if (page == null && id != 0) {
                missing.add(id);
            }
        }
        return missing;
    }

    /** How many pages the tree has from the root to a leaf. */
    int height() {
        Page page = root == 0 ? null : buffer.get(root);
        return page == null ? 0 : Node.level(page.bytes()) + 1;
    }
}
