package io.kvstore.engine;

/** The snapshots and iterators that are open now. */
public interface Snapshots {

    /**
     * Their lsns, ascending, without duplicates. One that is opened later is never below an lsn that was applied before this
     * call.
     */
    long[] openLsns();

    /** The greatest of their lsns, 0 if there is none; cheap. */
    default long newestLsn() {
        long[] open = openLsns();
        return open.length == 0 ? 0 : open[open.length - 1];
    }
}
