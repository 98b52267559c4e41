package io.kvstore.value;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The entries of a {@link HashIndex} that were put last and are in no bucket yet. One thread at a time changes them, any thread
 * finds.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A place is written before the count that covers it, and who looks goes from the last place to the first: so of two
 *       entries of a key it meets the newer one, and something newer still only if that was put after it began to look.
 *   <li>The count becomes 0 when all entries are in buckets. So who sees 0, or a place that was written again, finds in the
 *       buckets what was here.
 *   <li>Hash and entry of a place are not read as a whole: the entry may be that of another key. Whoever follows an entry
 *       compares the key of the record.
 * </ol>
 */
final class PendingEntries {

    /** No entry looks like this. */
    static final long NONE = 0;

    /** As many as a processor asks memory for at a time, or a few more. */
    private static final int MOST = 16;

    private final AtomicLongArray hashes = new AtomicLongArray(MOST);
    private final AtomicLongArray entries = new AtomicLongArray(MOST);
    private final AtomicInteger count = new AtomicInteger();

    /** The newest entry of a hash, or {@link #NONE}; for any thread. */
    long find(long hash) {
        for (int i = count.getAcquire() - 1; i >= 0; i--) {
            if (hashes.getAcquire(i) == hash) {
                return entries.getAcquire(i);
            }
        }
        return NONE;
    }

    /** Adds the newest entry of a hash. */
    void add(long hash, long entry) {
        int at = count.getPlain();
        entries.setRelease(at, entry);
        hashes.setRelease(at, hash);
        count.setRelease(at + 1);
    }

    boolean isEmpty() {
        return count.getPlain() == 0;
    }

    boolean isFull() {
        return count.getPlain() == MOST;
    }

    int count() {
        return count.getPlain();
    }

    long hash(int at) {
        return hashes.getPlain(at);
    }

    long entry(int at) {
        return entries.getPlain(at);
    }

    /** All of them are in buckets. */
    void clear() {
        count.setRelease(0);
    }
}
