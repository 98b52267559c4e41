package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.tree.LeafWalk;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.value.IndexFiller;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a B+tree table that its hash index is told of: those of all leaves, also where the value is in the leaf, and
 * those of all waiting changes. The index is told with the lock for putting. A key of a leaf that has a waiting change is
 * left out, because the index knows of that change.
 */
final class IndexedLeaves implements IndexFiller.Keys {

    private final Tree tree;
    private final TreeParts parts;
    private final LeafWalk walk;
    private final ChangeBuffer changes;
    private final Maintenance.Work afterLeaf;

    IndexedLeaves(Tree tree, TreeParts parts, LeafWalk walk, ChangeBuffer changes, Maintenance.Work afterLeaf) {
        this.tree = tree;
        this.parts = parts;
        this.walk = walk;
        this.changes = changes;
        this.afterLeaf = afterLeaf;
    }

    @Override
    public long count() {
        return parts.values().liveCount();
    }

    @Override
    public void grow() throws IOException {
        changes.grow();
    }

    @Override
    public byte @Nullable [] tell(byte[] from) throws IOException {
        byte[] next = walk.next(from, this::add);
        afterLeaf.run();
        if (next == null) {
            parts.index().places().filled();
        }
        return next;
    }

    private void add(Page leaf) {
        try (RankedLock.Held _ = parts.putting().hold()) {
            tree.addTo(leaf, changes::holds);
        }
    }

    @Override
    public void tryBetweenOperations(Runnable work) {
        if (parts.putting().tryLock()) {
            try {
                work.run();
            } finally {
                parts.putting().unlock();
            }
        }
    }
}
