package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.page.Node;
import io.kvstore.data.Pause;
import io.kvstore.error.CorruptionException;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.StoredValue;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The reading side of the tree. A reader goes from the root to a leaf without a lock, and begins again when a page changed on
 * the way. After it took the version of a child it looks at the parent once more: if the parent did not change, the child is
 * the one that was meant ("optimistic lock coupling", Leis et al., 2019). Bytes that were read from a page count only if the
 * page did not change meanwhile.
 */
public final class TreeReader {

    /** Instead of the number of an attempt: the value is not to be read. */
    private static final int ENTRY_ONLY = -1;

    private static final int SPINS = 64;
    private static final long PAUSE_NANOS = 50_000;

    private final PageBuffer buffer;
    private final Tree tree;
    private final ValueReader values;
    private final String file;
    private final RecentLeaves recent = new RecentLeaves();

    public TreeReader(PageBuffer buffer, Tree tree, ValueReader values) {
        this.buffer = buffer;
        this.tree = tree;
        this.values = values;
        this.file = buffer.file();
    }

    /** The value of a key in the newest state of the tree; null if a page changed on the way. */
    public @Nullable StoredValue tryGetNewest(byte[] key, int attempt, @Nullable LentValue lent) throws IOException {
        StoredValue near = findNear(key, attempt, lent);
        if (near != null) {
            return near;
        }
        long root = tree.root();
        return root == 0 ? new StoredValue(null, values.newestLsn()) : find(root, key, true, attempt, lent);
    }

    /** As {@link #tryGetNewest}, but only whether there is a value counts: one that is kept apart is not read. */
    public @Nullable StoredValue tryFindNewest(byte[] key) throws IOException {
        StoredValue near = findNear(key, ENTRY_ONLY, null);
        if (near != null) {
            return near;
        }
        long root = tree.root();
        return root == 0 ? new StoredValue(null, values.newestLsn()) : find(root, key, true, ENTRY_ONLY, null);
    }

    public StoredValue get(TreeVersions.State state, byte[] key) throws IOException {
        if (state.rootId() == 0) {
            return new StoredValue(null, state.lsn());
        }
        for (int attempt = 0; ; attempt++) {
            StoredValue found = find(state.rootId(), key, false, attempt, null);
            if (found != null) {
                return found;
            }
            pause(attempt);
        }
    }

    /** Waits before another attempt, so that the thread that changes the pages can go on. */
    public void pause(int attempt) {
        tree.requireWhole();
        if (attempt < SPINS) {
            Thread.onSpinWait();
        } else {
            Pause.nanos(PAUSE_NANOS);
        }
    }

    /** Searches for a key below a root; null if a page changed on the way. */
    private @Nullable StoredValue find(long root, byte[] key, boolean isNewest, int attempt, @Nullable LentValue lent)
            throws IOException {
        Page page = rootOf(root, isNewest);
        long version = page == null ? Page.GONE : page.beginRead();
        if (page == null || version == Page.GONE || (isNewest && tree.root() != root)) {
            return null;
        }
        byte[] payload;
        boolean isPointer;
        long lsn;
        try {
            MemorySegment bytes = page.bytes();
            buffer.looked(Node.level(bytes) + 1, key);
            lsn = Node.lsn(bytes);
            for (int level = Node.level(bytes); level > 0; level--) {
                long childId = Node.childFor(bytes, key);
                if (level == 1) {
                    buffer.touch(childId, Node.ONE_ENTRY_BYTES);
                }
                Page child = pageOf(childId, page);
                long childVersion = child == null ? Page.GONE : child.beginRead();
                if (child == null || childVersion == Page.GONE || !page.isUnchanged(version)) {
                    requireThere(child, childId, page, version);
                    return null;
                }
                page = child;
                version = childVersion;
                bytes = page.bytes();
                if (Node.level(bytes) != level - 1) {
                    requireGone(page, version);
                    return null;
                }
                lsn = Math.max(lsn, Node.lsn(bytes));
            }
            int index = Node.find(bytes, key);
            payload = index < 0 ? null : Node.payload(bytes, index);
            isPointer = index >= 0 && Node.isPointer(bytes, index);
            if (isNewest && index >= 0) {
                recent.note(page, version);
            }
        } catch (IndexOutOfBoundsException e) {
            requireChanged(page, version, e);
            return null;
        }
        if (!page.isUnchanged(version)) {
            return null;
        }
        if (payload == null) {
            values.missed();
            return new StoredValue(null, Math.max(lsn, tree.removedLsn()));
        }
        byte[] value = isPointer && attempt != ENTRY_ONLY ? values.read(key, payload, attempt, lent) : payload;
        return value == null ? null : new StoredValue(value, lsn);
    }

    /** The value of a key that is in the leaf where this thread found one before; null if the tree has to be searched. */
    private @Nullable StoredValue findNear(byte[] key, int attempt, @Nullable LentValue lent) throws IOException {
        RecentLeaves.Found leaf = recent.around(key);
        if (leaf == null) {
            return null;
        }
        Page page = leaf.page();
        byte[] payload;
        boolean isPointer;
        long lsn;
        try {
            MemorySegment bytes = page.bytes();
            int index = Node.find(bytes, key);
            if (index < 0) {
                return null;
            }
            payload = Node.payload(bytes, index);
            isPointer = Node.isPointer(bytes, index);
            lsn = Node.lsn(bytes);
        } catch (IndexOutOfBoundsException e) {
            return null; // the search from the root meets the page again, and reports it if it is damaged
        }
        if (!page.isUnchanged(leaf.version())) {
            return null;
        }
        buffer.use(page);
        buffer.looked(1, key);
        byte[] value = isPointer && attempt != ENTRY_ONLY ? values.read(key, payload, attempt, lent) : payload;
        return value == null ? null : new StoredValue(value, lsn);
    }

    /** The root of a state. A kept state has its root, and so has the newest one while its root is the same. */
    private @Nullable Page rootOf(long root, boolean isNewest) throws IOException {
        Page page = pageOf(root, null);
        if (page == null && (!isNewest || (tree.root() == root && pageOf(root, null) == null && tree.root() == root))) {
            throw new CorruptionException(file, -1, "the root of the tree, page " + root + ", is not there");
        }
        return page;
    }

    private @Nullable Page pageOf(long id, @Nullable Page parent) throws IOException {
        Page found = buffer.get(id);
        if (found == null) {
            found = buffer.load(id, parent);
        }
        if (found != null) {
            found.touch();
        }
        return found;
    }

    /** Called when an offset was wrong. Throws if the page did not change while it was read, because it is damaged then. */
    void requireChanged(Page page, long version, IndexOutOfBoundsException cause) {
        if (page.isUnchanged(version)) {
            CorruptionException failure =
                    new CorruptionException(file, -1, "page " + page.id() + " points outside of itself");
            failure.addSuppressed(cause);
            throw failure;
        }
    }

    /** Throws if a page leads to another one that is nowhere. The parent has not changed, so it has not lost that child. */
    private void requireThere(@Nullable Page child, long childId, Page parent, long version) {
        if (child == null && parent.isUnchanged(version)) {
            throw new CorruptionException(
                    file, -1, "page " + parent.id() + " leads to page " + childId + ", which is not there");
        }
    }

    /** Called for a child of the wrong level. Throws if the page did not change meanwhile. */
    private void requireGone(Page child, long version) {
        if (child.isUnchanged(version)) {
            throw new CorruptionException(
                    file, -1, "a page leads to page " + child.id() + ", which is not one of the level below");
        }
    }

    public String file() {
        return file;
    }

    /**
     * A leaf of a kept state, or a page above leaves, and where its neighbours begin.
     *
     * @param version version of the page when it was found
     * @param lower no key below it is in the leaf; null if this is the first leaf
     * @param upper the key where the next leaf begins; null if this is the last leaf
     */
    record Leaf(Page page, long version, int count, byte @Nullable [] lower, byte @Nullable [] upper) {}

    /**
     * The leaf of a kept state to which a key belongs.
     *
     * @param key null for the first leaf, or for the last one with {@code below}
     * @param below whether to find the leaf with the keys directly below {@code key}
     */
    Leaf leaf(TreeVersions.State state, byte @Nullable [] key, boolean below) throws IOException {
        for (int attempt = 0; ; attempt++) {
            Leaf found = tryLeaf(state.rootId(), key, below, 0);
            if (found != null) {
                return found;
            }
            pause(attempt);
        }
    }

    /** The page directly above the leaf of a kept state to which a key belongs, or that leaf if it is the root. */
    Leaf branch(TreeVersions.State state, byte @Nullable [] key) throws IOException {
        return page(state, key, 1);
    }

    /** The page of a level of a kept state to which a key belongs, or the root if that is lower. */
    Leaf page(TreeVersions.State state, byte @Nullable [] key, int level) throws IOException {
        for (int attempt = 0; ; attempt++) {
            Leaf found = tryLeaf(state.rootId(), key, false, level);
            if (found != null) {
                return found;
            }
            pause(attempt);
        }
    }

    /** How far the leaves below a page were counted. The page never changes, so a count goes on after the page was evicted. */
    static final class LeafCount {
        private int next;
        private long entries;

        long entries() {
            return entries;
        }
    }

    /**
     * Counts the entries of the leaves below a page, from the leaf of {@code lower} to that of {@code upper}. Null stands for
     * an end. Returns false if a page was evicted meanwhile; the count goes on with the next call.
     */
    boolean tryCount(Leaf branch, byte @Nullable [] lower, byte @Nullable [] upper, LeafCount done) throws IOException {
        Page page = branch.page();
        MemorySegment bytes = page.bytes();
        try {
            boolean isLeaf = Node.level(bytes) == 0;
            int last = upper == null || isLeaf ? branch.count() - 1 : Node.childIndex(bytes, upper);
            int first = lower == null || isLeaf ? 0 : Node.childIndex(bytes, lower);
            if (!page.isUnchanged(branch.version())) {
                return false; // its frame may have had another page, of another level, all the time
            }
            if (isLeaf) {
                done.entries = branch.count();
                return true;
            }
            for (done.next = Math.max(done.next, first); done.next <= last; done.next++) {
                int count = countOfLeaf(Node.child(bytes, done.next), page, branch.version());
                if (count < 0 || !page.isUnchanged(branch.version())) {
                    return false;
                }
                done.entries += count;
                page.touch();
            }
            return true;
        } catch (IndexOutOfBoundsException e) {
            requireChanged(page, branch.version(), e);
            return false;
        }
    }

    /** The number of entries that a leaf has; -1 if it was evicted meanwhile. */
    private int countOfLeaf(long id, Page parent, long parentVersion) throws IOException {
        Page leaf = pageOf(id, parent);
        long version = leaf == null ? Page.GONE : leaf.beginRead();
        if (leaf == null || version == Page.GONE) {
            requireThere(leaf, id, parent, parentVersion);
            return -1;
        }
        int level = Node.level(leaf.bytes());
        int count = Node.count(leaf.bytes());
        if (level != 0 && parent.isUnchanged(parentVersion)) {
            requireGone(leaf, version);
        }
        return leaf.isUnchanged(version) ? count : -1;
    }

    /** @param level that of the page that is wanted, 0 for a leaf; the root if it is below that level */
    private @Nullable Leaf tryLeaf(long root, byte @Nullable [] key, boolean below, int level) throws IOException {
        Page page = rootOf(root, false);
        long version = page == null ? Page.GONE : page.beginRead();
        byte[] lower = null;
        byte[] upper = null;
        if (page == null || version == Page.GONE) {
            return null;
        }
        try {
            if (key != null) {
                buffer.looked(Node.level(page.bytes()) + 1, key);
            }
            for (int above = Node.level(page.bytes()); above > level; above--) {
                MemorySegment bytes = page.bytes();
                int index = childIndex(bytes, key, below);
                lower = index > 0 ? Node.key(bytes, index) : lower;
                upper = index + 1 < Node.count(bytes) ? Node.key(bytes, index + 1) : upper;
                long childId = Node.child(bytes, index);
                if (above == level + 1) {
                    buffer.touch(childId, Node.MANY_ENTRIES_BYTES);
                }
                Page child = pageOf(childId, page);
                long childVersion = child == null ? Page.GONE : child.beginRead();
                if (child == null || childVersion == Page.GONE || !page.isUnchanged(version)) {
                    requireThere(child, childId, page, version);
                    return null;
                }
                page = child;
                version = childVersion;
                if (Node.level(page.bytes()) != above - 1) {
                    requireGone(page, version);
                    return null;
                }
            }
            int count = Node.count(page.bytes());
            return page.isUnchanged(version) ? new Leaf(page, version, count, lower, upper) : null;
        } catch (IndexOutOfBoundsException e) {
            requireChanged(page, version, e);
            return null;
        }
    }

    private static int childIndex(MemorySegment bytes, byte @Nullable [] key, boolean below) {
        if (key == null) {
            return below ? Node.count(bytes) - 1 : 0;
        }
        int found = Node.find(bytes, key);
        if (found >= 0) {
            return below ? Math.max(0, found - 1) : found;
        }
        return Math.max(0, -2 - found);
    }
}
