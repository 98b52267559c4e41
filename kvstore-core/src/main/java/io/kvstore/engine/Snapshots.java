package io.kvstore.engine;

/** The snapshots and iterators that are open now. */
public interface Snapshots {

    /**
     * Their lsns, ascending, without duplicates. One that is opened later is never below an lsn that was applied before this
     * call.
     */
    long[] openLsns();
}
