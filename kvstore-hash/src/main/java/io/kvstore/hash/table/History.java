package io.kvstore.hash.table;

import java.util.HashSet;
import java.util.Set;
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
 * </ol>
 */
final class History {

    private static final int LIST_BITS = 12;
    private static final int NODE_BYTES = 48;
    private static final long LEAST_MUCH = 1_024;

    private final AtomicReferenceArray<@Nullable Old> lists = new AtomicReferenceArray<>(1 << LIST_BITS);

    /** Made before they are needed, because what is applied must not fail for want of memory. */
    private @Nullable Old spare;

    private int spares;
    private final AtomicLong count = new AtomicLong();
    private long muchAt = LEAST_MUCH;

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

    /** Has memory for so many places. */
    void prepare(int places) {
        for (; spares < places; spares++) {
            Old made = new Old();
            made.older = spare;
            spare = made;
        }
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

    /** Whether there may be many places that no view needs: more than twice as many as were needed when this was looked at. */
    boolean isMuch() {
        return count.getPlain() >= muchAt;
    }

    long bytes() {
        return count.getAcquire() * NODE_BYTES;
    }

    /** Forgets the places that no view may show. */
    void forget(Views views) {
        int length = isEmpty() ? 0 : lists.length();
        for (int list = 0; list < length; list++) {
            forget(list, views);
        }
        muchAt = Math.max(LEAST_MUCH, 2 * count.getPlain());
    }

    private void forget(int list, Views views) {
        Old newer = null;
        for (Old at = lists.getPlain(list); at != null; at = at.older) {
            if (views.maySeeFirst(at.lsn, at.replacedBy)) {
                newer = at;
            } else {
                count.setRelease(count.getPlain() - 1);
                if (newer == null) {
                    lists.setRelease(list, at.older);
                } else {
                    newer.older = at.older;
                }
            }
        }
    }

    /** The segments that have old places, by the low bits of their numbers. */
    Set<Long> segments() {
        Set<Long> result = new HashSet<>();
        int length = isEmpty() ? 0 : lists.length();
        for (int list = 0; list < length; list++) {
            for (Old at = lists.getPlain(list); at != null; at = at.older) {
                result.add(Places.of(Places.segment(at.place, 0), 0));
            }
        }
        return result;
    }
}
