package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.SortedChanges;

/** A part of a layer that is merged into the tree as a whole. For the thread that merges. */
final class LayerPiece {

    private final SortedChanges sorted;
    private final long firstLsn;
    private final long lastLsn;
    private final boolean isWhole;
    private int mergedTo;

    /**
     * A piece of which nothing is merged yet.
     *
     * @param firstLsn lsn of its first operation
     * @param lastLsn lsn of the last operation that it ends
     * @param isWhole whether the piece ends with a whole operation, and not with a part of one
     */
    LayerPiece(SortedChanges sorted, long firstLsn, long lastLsn, boolean isWhole) {
        this.sorted = sorted;
        this.firstLsn = firstLsn;
        this.lastLsn = lastLsn;
        this.isWhole = isWhole;
    }

    SortedChanges sorted() {
        return sorted;
    }

    long firstLsn() {
        return firstLsn;
    }

    long lastLsn() {
        return lastLsn;
    }

    boolean isWhole() {
        return isWhole;
    }

    /** How many of the sorted changes are in the tree. */
    int mergedTo() {
        return mergedTo;
    }

    void mergedTo(int count) {
        mergedTo = count;
    }
}
