package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.tree.LeafWalk;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.memory.UnusedMemory;
import io.kvstore.value.index.HashIndex;
import java.io.IOException;

/**
 * Makes the {@link HashIndex} and fills it from the leaves. This is done when gets ask the tree again and again, and when the
 * table has outgrown its index.
 */
final class HashIndexBuilder {

    private final Tree tree;
    private final TreeParts parts;
    private final LeafWalk walk;
    private final ChangeBuffer changes;
    private volatile boolean stopped;

    HashIndexBuilder(Tree tree, TreeParts parts, LeafWalk walk, ChangeBuffer changes) {
        this.tree = tree;
        this.parts = parts;
        this.walk = walk;
        this.changes = changes;
    }

    /**
     * Makes the index as large as it should be for this many keys, if gets asked for it, and fills it. One caller at a time.
     *
     * @param pauses the work that is done after each leaf
     */
    void run(long keys, Clustering.Pauses pauses) throws IOException {
        if (parts.index().prepare(keys, true)) {
            changes.grow(parts.index());
        }
        if (parts.index().bytes() == 0) {
            return; // gets have not asked for it, or there is no memory
        }
        byte[] from = LeafWalk.FIRST;
        while (from != null && !stopped) {
            from = walk.next(from, this::add);
            pauses.afterLeaf();
        }
        if (from == null) {
            parts.index().filled();
        }
    }

    private void add(Page leaf) {
        parts.putting().lock();
        try {
            tree.addTo(parts.index(), leaf, changes::holds);
        } finally {
            parts.putting().unlock();
        }
    }

    /** Gives the memory of the index to others, unless an operation is under way. Not called while the index is filled. */
    UnusedMemory.Given giveBack() {
        if (!parts.putting().tryLock()) {
            return UnusedMemory.Given.NONE;
        }
        try {
            return parts.index().giveBack();
        } finally {
            parts.putting().unlock();
        }
    }

    /** Ends the work soon. */
    void stop() {
        stopped = true;
    }
}
