package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.SortedChanges;

/** What of a layer goes to the tree as a whole. For the one who merges. */
final class LayerPiece {

    private final SortedChanges sorted;
    private final long firstLsn;
    private final long lastLsn;
    private final boolean isWhole;
    private int mergedTo;

    /**
     * Nothing of it is merged.
     *
     * @param firstLsn of its first operation
     * @param lastLsn of its last whole one
     * @param isWhole whether it ends with that, or else with a part of one
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

    /** How many of the sorted ones are in the tree. */
    int mergedTo() {
        return mergedTo;
    }

    void mergedTo(int count) {
        mergedTo = count;
    }
}
