package io.kvstore.hash.table;

import java.util.Arrays;

/**
 * The views at one moment: those that are open, and those that may be opened later although they do not see the newest
 * operations. In a table that waits for the log, a view leaves out what was not durable when it was opened.
 *
 * @param passedLsn no view that is opened later has a lower lsn
 * @param open the lsns of the open views, ascending
 */
record Views(long passedLsn, long[] open) {

    /** Whether a view may see the operation of one lsn, and not that of the other. */
    boolean maySeeFirst(long lsn, long otherLsn) {
        if (otherLsn > passedLsn) {
            return true;
        }
        int found = Arrays.binarySearch(open, lsn);
        int first = found >= 0 ? found : -found - 1;
        return first < open.length && open[first] < otherLsn;
    }
}
