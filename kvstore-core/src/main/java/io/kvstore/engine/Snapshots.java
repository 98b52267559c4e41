package io.kvstore.engine;

/** The snapshots and cursors that are open now. */
public interface Snapshots {

    /**
     * The lsns of the open snapshots and cursors, ascending, without duplicates. A snapshot or cursor on a table that is opened
     * later never has an lsn below an operation of that table that was applied before this call. If the table's engine
     * {@linkplain TableEngine#looksBack looks back}, that holds only for operations that were durable before this call.
     */
    long[] openLsns();

    /** The greatest of these lsns, or 0 if there is none. */
    default long newestLsn() {
        long[] open = openLsns();
        return open.length == 0 ? 0 : open[open.length - 1];
    }

    /** How many are open; where nobody counts them, how many different states they show. */
    default int count() {
        return openLsns().length;
    }

    /** The time since the oldest of them was opened, or 0 if there is none, or nobody knows. */
    default long oldestAgeMillis() {
        return 0;
    }
}
