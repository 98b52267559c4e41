package io.kvstore.hash.table;

import java.util.Arrays;

/**
 * How many entries the table had before some of its operations. With that, a view that does not see an operation knows the
 * number of its entries. Used with the lock of the table.
 */
final class ViewCounts {

    private static final int LEAST = 16;

    private long[] lsns = new long[LEAST];
    private long[] entries = new long[LEAST];
    private int count;

    /** Has memory for so many more notes. */
    void prepare(int more) {
        if (count + more > lsns.length) {
            int length = Math.max(count + more, 2 * lsns.length);
            long[] moreLsns = Arrays.copyOf(lsns, length);
            entries = Arrays.copyOf(entries, length);
            lsns = moreLsns;
        }
    }

    /** Called before the first change of an operation comes into the index, if a view may need it. */
    void note(long lsn, long entriesBefore) {
        if (count == 0 || lsns[count - 1] < lsn) {
            lsns[count] = lsn;
            entries[count] = entriesBefore;
            count++;
        }
    }

    /** Whether a view sees the operation that was noted last, and may not see the one with the given lsn. */
    boolean isNeeded(Views views, long lsn) {
        return views.maySeeFirst(count == 0 ? 0 : lsns[count - 1], lsn);
    }

    /** The number of entries in a view, if the newest state has {@code now}. */
    long of(long viewLsn, long now) {
        for (int i = 0; i < count; i++) {
            if (lsns[i] > viewLsn) {
                return entries[i];
            }
        }
        return now;
    }

    /** Forgets the notes that no view needs. */
    void forget(Views views) {
        int kept = 0;
        long before = 0;
        for (int i = 0; i < count; i++) {
            boolean isNeeded = views.maySeeFirst(before, lsns[i]);
            before = lsns[i];
            if (isNeeded) {
                lsns[kept] = lsns[i];
                entries[kept] = entries[i];
                kept++;
            }
        }
        count = kept;
    }
}
