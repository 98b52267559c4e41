package io.kvstore.hash.table;

import io.kvstore.memory.MemoryBudget;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The places of records that were replaced or removed, as long as a view may show them. The thread with the lock of the table
 * changes them. Any thread may read them.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A place is here before its entry in the index changes. So a reader that looks into the index first, and here then,
 *       misses no record.
 *   <li>A record shows in a view of an lsn if its own lsn is not above that one, and the operation that replaced or removed it
 *       is. At most one record of a key does.
 *   <li>The budget has counted the places that are here, and those for which there is memory, before they are added. They may
 *       be more than the budget allows: what is applied must not fail, so {@link HistoryRoom} refuses it before.
 *   <li>Places that no view needs are forgotten a few lists at a time. Each place that is added pays for steps, so that there
 *       are about a third more than views need, and 2,000.
 * </ol>
 */
final class History {

    private static final int LIST_BITS = 12;

    /** How many lists there are. */
    static final int LISTS = 1 << LIST_BITS;

    private static final int NODE_BYTES = 48;
    private static final MemoryBudget.Use USE = MemoryBudget.Use.HISTORY;

    /** Each place that is added pays for so many steps, each to a list or a place. */
    private static final int STEPS_OF_PLACE = 4;

    /** A walk over all lists lets others have the lock after so many places, and the rest of a list. */
    static final int WALKED_PLACES = 1_024;

    /** More memory for places than this is not kept after an operation. */
    private static final int MOST_SPARES = PendingChanges.MOST;

    private final AtomicReferenceArray<@Nullable Old> lists = new AtomicReferenceArray<>(LISTS);
    private final MemoryBudget budget;
    private final PlaceCounts segments = new PlaceCounts();

    /** Made before they are needed, because what is applied must not fail for want of memory. */
    private @Nullable Old spare;

    private int spares;
    private final AtomicLong count = new AtomicLong();
    private long countedBytes;

    /** The list that is looked at next, and the steps that are paid for. */
    private int hand;

    private long steps;

    /** A place that a view may need. */
    static final class Old {

        private long hash;
        private long place;
        private long lsn;
        private long replacedBy;
        private volatile @Nullable Old older;

        long hash() {
            return hash;
        }

        long place() {
            return place;
        }

        /** The lsn of the operation that replaced or removed the record. */
        long replacedBy() {
            return replacedBy;
        }

        @Nullable
        Old older() {
            return older;
        }
    }

    History(MemoryBudget budget) {
        this.budget = budget;
    }

    /**
     * Has memory for so many places.
     *
     * @param mostSegments no more segments than that have records
     */
    void prepare(int places, long mostSegments) {
        segments.prepare((int) Math.min(places, mostSegments));
        try {
            for (; spares < places; spares++) {
                Old made = new Old();
                made.older = spare;
                spare = made;
            }
        } finally {
            countBytes();
        }
    }

    private void countBytes() {
        long bytes = (count.getPlain() + spares) * NODE_BYTES;
        if (bytes > countedBytes) {
            budget.take(USE, bytes - countedBytes);
        } else if (bytes < countedBytes) {
            budget.release(USE, countedBytes - bytes);
        }
        countedBytes = bytes;
    }

    /** @param lsn of the record; together with {@code replacedBy} it says which views show the record */
    void add(long hash, long place, long lsn, long replacedBy) {
        Old added = spare;
        if (added == null) {
            throw new IllegalStateException("no memory was prepared for an old place");
        }
        spare = added.older;
        spares--;
        added.hash = hash;
        added.place = place;
        added.lsn = lsn;
        added.replacedBy = replacedBy;
        int list = list(hash);
        added.older = lists.getPlain(list);
        lists.setRelease(list, added);
        count.setRelease(count.getPlain() + 1);
        segments.add(Places.segmentBits(place), 1);
        steps += STEPS_OF_PLACE;
    }

    private static int list(long hash) {
        return (int) (hash >>> (Long.SIZE - LIST_BITS));
    }

    /** The newest old place of the list to which a hash belongs, or null. Others of the list have other hashes. */
    @Nullable
    Old first(long hash) {
        return count.getAcquire() == 0 ? null : lists.getAcquire(list(hash));
    }

    /** How many hashes, from the first one of a list to the first one of the next, share the list. */
    static long listLength() {
        return 1L << (Long.SIZE - LIST_BITS);
    }

    boolean isEmpty() {
        return count.getAcquire() == 0;
    }

    /** Bytes of the places that are here. For any thread. */
    long bytes() {
        return count.getAcquire() * NODE_BYTES;
    }

    /** Whether old places lie in a segment. */
    boolean hasAnyIn(int segmentBits) {
        return segments.hasAny(segmentBits);
    }

    /**
     * Forgets places that no view may show, as far as the places that were added have paid for. It ends after
     * {@link #WALKED_PLACES} and the rest of a list, and later calls do the rest.
     */
    void forgetSome(Views views) {
        int visited = 0;
        for (int walked = 0; steps > 0 && visited < LISTS && walked < WALKED_PLACES; visited++) {
            int inList = forgetIn(hand, views);
            walked += inList;
            steps -= 1 + inList;
            hand = (hand + 1) % LISTS;
        }
        if (visited == LISTS) {
            steps = Math.min(steps, 0); // all lists were looked at
        }
        countBytes();
    }

    /** Gives back memory for places that a long operation did not need, because it was given up. */
    void dropSpares() {
        if (spares > MOST_SPARES) {
            spare = null;
            spares = 0;
            countBytes();
        }
    }

    /**
     * Forgets places that no view may show, in a list and in those behind it, up to {@link #WALKED_PLACES} and the rest of a
     * list. Returns the next list, or {@link #LISTS} after the last one.
     */
    int forget(int from, Views views) {
        int list = isEmpty() ? LISTS : from;
        for (int walked = 0; list < LISTS && walked < WALKED_PLACES; list++) {
            walked += forgetIn(list, views);
        }
        countBytes();
        return list;
    }

    /** Returns how many places were in the list. */
    private int forgetIn(int list, Views views) {
        int walked = 0;
        Old newer = null;
        for (Old at = lists.getPlain(list); at != null; at = at.older) {
            walked++;
            if (views.maySeeFirst(at.lsn, at.replacedBy)) {
                newer = at;
            } else {
                count.setRelease(count.getPlain() - 1);
                segments.add(Places.segmentBits(at.place), -1);
                if (newer == null) {
                    lists.setRelease(list, at.older);
                } else {
                    newer.older = at.older;
                }
            }
        }
        return walked;
    }

    /** Gives the memory back to the budget. No thread may use it any more. */
    void close() {
        budget.release(USE, countedBytes);
        countedBytes = 0;
    }
}
