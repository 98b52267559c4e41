package io.kvstore.bplus;

import io.kvstore.bplus.page.Node;
import io.kvstore.error.CorruptionException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The readers' side of the tree: goes from the root to a leaf without a lock, and begins again when a page changed on the way.
 * After the version of a child was taken the parent is looked at once more: if that did not change, the child is the one
 * that was meant ("optimistic lock coupling", Leis et al., 2019). What is read of a page counts only when the page did not
 * change.
 */
final class TreeReader {

    private static final int SPINS = 64;
    private static final long PARK_NANOS = 50_000;

    private final PageBuffer buffer;
    private final Generations generations;
    private final Tree tree;
    private final ValueReader values;
    private final String file;

    TreeReader(PageBuffer buffer, Generations generations, Tree tree, ValueReader values) {
        this.buffer = buffer;
        this.generations = generations;
        this.tree = tree;
        this.values = values;
        this.file = buffer.file();
    }

    /**
     * What a search found.
     *
     * @param value null if there is none
     * @param lsn of the operation that the answer rests on
     */
    record Answer(byte @Nullable [] value, long lsn) {}

    /** The value of a key in the newest state. */
    Answer getNewest(byte[] key) throws IOException {
        for (int attempt = 0; ; attempt++) {
            long lsn = generations.now().lsn();
            long root = tree.root();
            if (root == 0) {
                return new Answer(null, lsn);
            }
            Answer found = find(root, key, true, attempt);
            if (found != null) {
                return found;
            }
            pause(attempt);
        }
    }

    /** The value of a key in a state that is kept. */
    Answer get(Generations.State state, byte[] key) throws IOException {
        if (state.rootId() == 0) {
            return new Answer(null, state.lsn());
        }
        for (int attempt = 0; ; attempt++) {
            Answer found = find(state.rootId(), key, false, attempt);
            if (found != null) {
                return found;
            }
            pause(attempt);
        }
    }

    /** Lets the one go on who changes what is to be read. */
    static void pause(int attempt) {
        if (attempt < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    /** Null if something changed on the way. */
    private @Nullable Answer find(long root, byte[] key, boolean isNewest, int attempt) throws IOException {
        Walk walk = new Walk();
        if (!walk.take(root) || (isNewest && tree.root() != root)) {
            return null;
        }
        byte[] payload;
        boolean isPointer;
        try {
            while (Node.level(walk.bytes()) > 0) {
                if (!walk.down(Node.childFor(walk.bytes(), key))) {
                    return null;
                }
            }
            int index = Node.find(walk.bytes(), key);
            payload = index < 0 ? null : Node.payload(walk.bytes(), index);
            isPointer = index >= 0 && Node.isPointer(walk.bytes(), index);
        } catch (IndexOutOfBoundsException e) {
            walk.requireChanged(e);
            return null;
        }
        if (!walk.holds()) {
            return null;
        }
        if (payload == null || !isPointer) {
            return new Answer(payload, walk.lsn);
        }
        byte[] value = values.read(key, payload, attempt);
        return value == null ? null : new Answer(value, walk.lsn);
    }

    /** A page on the way down, with its version. */
    private final class Walk {

        private @Nullable Page page;
        private long version;
        private long lsn;

        boolean take(long id) throws IOException {
            Page found = buffer.get(id);
            if (found == null) {
                found = buffer.load(id);
            }
            if (found == null) {
                return false;
            }
            long now = found.beginRead();
            if (now == Page.GONE) {
                return false;
            }
            page = found;
            version = now;
            found.touch();
            lsn = Math.max(lsn, Node.lsn(found.bytes()));
            return true;
        }

        boolean down(long child) throws IOException {
            Page parent = page;
            long before = version;
            if (parent == null || !parent.isUnchanged(before) || !take(child)) {
                return false;
            }
            return parent.isUnchanged(before);
        }

        boolean holds() {
            return page != null && page.isUnchanged(version);
        }

        MemorySegment bytes() {
            if (page == null) {
                throw new IllegalStateException("no page was entered");
            }
            return page.bytes();
        }

        /** An offset was wrong: because the page changed while it was read, or else it is damaged. */
        void requireChanged(IndexOutOfBoundsException cause) {
            if (page != null && holds()) {
                CorruptionException failure =
                        new CorruptionException(file, -1, "page " + page.id() + " points outside of itself");
                failure.addSuppressed(cause);
                throw failure;
            }
        }
    }

    /**
     * A leaf, copied, and where its neighbours begin.
     *
     * @param lower nothing below it is in the leaf; null if it is the first
     * @param upper where the next leaf begins; null if it is the last
     */
    record Leaf(MemorySegment bytes, byte @Nullable [] lower, byte @Nullable [] upper) {}

    /**
     * The leaf of a state that is kept, where a key belongs.
     *
     * @param key null for the first leaf, or the last in reverse
     * @param below the leaf where the keys directly below {@code key} are
     */
    Leaf leaf(Generations.State state, byte @Nullable [] key, boolean below) throws IOException {
        for (int attempt = 0; ; attempt++) {
            Leaf found = tryLeaf(state.rootId(), key, below);
            if (found != null) {
                return found;
            }
            pause(attempt);
        }
    }

    private @Nullable Leaf tryLeaf(long root, byte @Nullable [] key, boolean below) throws IOException {
        Walk walk = new Walk();
        byte[] lower = null;
        byte[] upper = null;
        if (!walk.take(root)) {
            return null;
        }
        try {
            while (Node.level(walk.bytes()) > 0) {
                MemorySegment bytes = walk.bytes();
                int index = childIndex(bytes, key, below);
                lower = index > 0 ? Node.key(bytes, index) : lower;
                upper = index + 1 < Node.count(bytes) ? Node.key(bytes, index + 1) : upper;
                if (!walk.down(Node.child(bytes, index))) {
                    return null;
                }
            }
            MemorySegment copy =
                    MemorySegment.ofArray(new byte[(int) walk.bytes().byteSize()]);
            copy.copyFrom(walk.bytes());
            return walk.holds() ? new Leaf(copy, lower, upper) : null;
        } catch (IndexOutOfBoundsException e) {
            walk.requireChanged(e);
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
