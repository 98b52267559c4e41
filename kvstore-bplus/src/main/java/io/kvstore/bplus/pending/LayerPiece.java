package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.SortedChanges;

/** A part of a layer that is merged into the tree as a whole. For the thread that merges. */
final class LayerPiece {

    final SortedChanges sorted;

    /** Lsn of its first operation, and of the last one that it ends. */
    final long firstLsn;

    final long lastLsn;

    /** Whether the piece ends with a whole operation, and not with a part of one. */
    final boolean isWhole;

    /** How many of the sorted changes are in the tree. */
    int mergedTo;

    LayerPiece(SortedChanges sorted, long firstLsn, long lastLsn, boolean isWhole) {
        this.sorted = sorted;
        this.firstLsn = firstLsn;
        this.lastLsn = lastLsn;
        this.isWhole = isWhole;
    }
}
