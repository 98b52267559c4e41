package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.BlockedRanges;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.tree.SortedMerge;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Snapshots;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Brings layers of the {@link ChangeBuffer} into the tree, one after the other. A layer that open snapshots see a part of goes
 * in pieces, which end where those do, each as a whole for who looks at a state.
 */
public final class LayerMerge {

    /** Several for each leaf of a table of millions; half as many are a fifth slower, twice as many no faster. */
    private static final int MOST_CHANGES = 1 << 18;

    private static final int LEAST_CHANGES = 64;

    /** Pages that may be read for a layer: some tens of milliseconds. */
    private static final long MANY_LOADS = 512;

    private final Snapshots snapshots;
    private final DurabilityBarrier barrier;
    private final Tree tree;
    private final SortedMerge merge;
    private final ReentrantLock writing;
    private final Runnable afterLayer;
    private final BlockedRanges blocked = new BlockedRanges();
    private volatile int mostChanges = MOST_CHANGES;
    private volatile boolean stopped;

    /**
     * Nothing is merged yet.
     *
     * @param context tells which snapshots are open: one that is opened later sees all of a layer that has ended and is durable
     * @param writing the lock of the one who changes the tree
     * @param afterLayer is told that values may be dead now; returns soon
     */
    public LayerMerge(TableContext context, Tree tree, SortedMerge merge, ReentrantLock writing, Runnable afterLayer) {
        this.snapshots = context.snapshots();
        this.barrier = context.barrier();
        this.tree = tree;
        this.merge = merge;
        this.writing = writing;
        this.afterLayer = afterLayer;
    }

    /** So many changes a layer should have at most. */
    int mostChanges() {
        return mostChanges;
    }

    /** Ends soon, and nothing is merged any more. */
    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Where changes are missing that were acknowledged. */
    BlockedRanges blocked() {
        return blocked;
    }

    /**
     * Brings a layer into the tree, on from where that ended before; one caller at a time.
     *
     * @return false if it was stopped
     */
    boolean run(ChangeLayer layer) throws IOException {
        long loadsBefore = merge.loads();
        if (!barrier.isPassed(layer.newestLsn())) {
            // or a view could be opened that sees a part of what is merged
            barrier.beforeCommitPoint(layer.newestLsn());
        }
        LayerPiece piece = layer.nextPiece(snapshots);
        while (piece != null) {
            if (!run(piece)) {
                return false;
            }
            layer.merged(piece);
            piece = layer.nextPiece(snapshots);
        }
        adaptSize(layer.size(), merge.loads() - loadsBefore);
        afterLayer.run();
        return true;
    }

    private boolean run(LayerPiece piece) throws IOException {
        writing.lock();
        try {
            tree.beginPart(piece.firstLsn());
        } finally {
            writing.unlock();
        }
        SortedChanges sorted = piece.sorted();
        while (piece.mergedTo() < sorted.size()) {
            if (stopped) {
                return false;
            }
            piece.mergedTo(mergeSome(sorted, piece.mergedTo()));
        }
        if (piece.isWhole()) {
            merge.end(piece.lastLsn());
        }
        return true;
    }

    private int mergeSome(SortedChanges sorted, int from) throws IOException {
        if (!blocked.isEmpty() && blocked.holds(sorted.key(from))) {
            return from + 1;
        }
        try {
            return merge.run(sorted, from);
        } catch (CorruptionException e) {
            Notices.error(
                    LayerMerge.class, null, "changes that were acknowledged cannot be brought into a damaged tree", e);
            merge.block(sorted.key(from), blocked, e);
            return from;
        }
    }

    /** Whoever looks at a state waits for a layer to be merged, so where pages are to be read for it, it is to be smaller. */
    private void adaptSize(int changes, long loads) {
        long most = loads <= MANY_LOADS ? 2L * mostChanges : MANY_LOADS * changes / loads;
        mostChanges = Math.clamp(most, LEAST_CHANGES, MOST_CHANGES);
    }
}
