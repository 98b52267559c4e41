package io.kvstore.engine;

/** The snapshots and iterators that are open now. */
public interface Snapshots {

    /**
     * Their lsns, ascending, without duplicates. One of a table that is opened later is never below an lsn of that table that
     * was applied before this call or, if its engine {@linkplain TableEngine#looksBack looks back}, durable before it.
     */
    long[] openLsns();

    /** The greatest of their lsns, 0 if there is none; cheap. */
    default long newestLsn() {
        long[] open = openLsns();
        return open.length == 0 ? 0 : open[open.length - 1];
    }
}
