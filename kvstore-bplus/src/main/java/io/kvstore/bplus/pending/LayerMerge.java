package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.BlockedRanges;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.tree.SortedMerge;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Snapshots;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.Waiter;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Merges layers of the {@link ChangeBuffer} into the tree, one after the other. If open snapshots see only a part of a layer,
 * it is merged in pieces that end where these snapshots end. To a thread that looks at a state, each piece appears as a whole.
 */
public final class LayerMerge {

    /** Several changes for each leaf of a large table. Half as many are a fifth slower, twice as many no faster. */
    private static final int MOST_CHANGES = 1 << 18;

    private static final int LEAST_CHANGES = 64;
    private static final long HELD_BACK_MILLIS = 5;

    /** The most pages that should be read for a layer, which takes some tens of milliseconds. */
    private static final long MANY_LOADS = 512;

    private final Snapshots snapshots;
    private final DurabilityBarrier barrier;
    private final Tree tree;
    private final SortedMerge merge;
    private final RankedLock writing;
    private final Waiter waiter;
    private final Pace pace;
    private final BlockedRanges blocked = new BlockedRanges();
    private volatile int mostChanges = MOST_CHANGES;
    private volatile boolean stopped;

    /**
     * How merges fit in with other work of the table.
     *
     * @param isHeldBack whether a merge is to wait for other work, which needs no merge to end
     * @param afterLayer is told that values may be dead now; returns soon
     */
    public record Pace(BooleanSupplier isHeldBack, Runnable afterLayer) {}

    /** @param context tells which snapshots are open; one that is opened later sees all of a sealed and durable layer */
    public LayerMerge(TableContext context, Tree tree, SortedMerge merge, RankedLock writing, Pace pace) {
        this.snapshots = context.snapshots();
        this.barrier = context.barrier();
        this.tree = tree;
        this.merge = merge;
        this.writing = writing;
        this.waiter = context.background().waiter();
        this.pace = pace;
    }

    int mostChanges() {
        return mostChanges;
    }

    /** Lets the current merge end soon. No further layer is merged. */
    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    BlockedRanges blocked() {
        return blocked;
    }

    /** Merges a layer, from where the last call for it ended. Returns false if it was stopped. One caller at a time. */
    boolean run(ChangeLayer layer) throws IOException {
        long loadsBefore = merge.loads();
        if (!barrier.isPassed(layer.newestLsn())) {
            // without this, a view could be opened that sees only a part of the merged changes
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
        pace.afterLayer.run();
        return true;
    }

    private boolean run(LayerPiece piece) throws IOException {
        try (RankedLock.Held _ = writing.hold()) {
            tree.beginPart(piece.firstLsn);
        }
        while (piece.mergedTo < piece.sorted.size()) {
            while (!stopped && pace.isHeldBack.getAsBoolean()) {
                waiter.await(this::isStopped, HELD_BACK_MILLIS);
            }
            if (stopped) {
                return false;
            }
            piece.mergedTo = mergeSome(piece.sorted, piece.mergedTo);
        }
        if (piece.isWhole) {
            merge.end(piece.lastLsn);
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

    /** After many reads the next layers are to be smaller, because checkpoints and writers wait for a whole layer. */
    private void adaptSize(int changes, long loads) {
        long most = loads <= MANY_LOADS ? 2L * mostChanges : MANY_LOADS * changes / loads;
        mostChanges = Math.clamp(most, LEAST_CHANGES, MOST_CHANGES);
    }
}
