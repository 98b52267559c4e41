package io.kvstore.value;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

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

    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(PendingEntries.class, "count", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] hashes = new long[MOST];
    private final long[] entries = new long[MOST];
    private final long[] befores = new long[MOST];
    private int count;

    /** The newest entry of a hash, or {@link #NONE}; for any thread. */
    long find(long hash) {
        for (int i = (int) COUNT.getAcquire(this) - 1; i >= 0; i--) {
            if ((long) PLACE.getAcquire(hashes, i) == hash) {
                return (long) PLACE.getAcquire(entries, i);
            }
        }
        return NONE;
    }

    /** @param before the entry that the key has, or {@link #NONE} */
    void add(long hash, long entry, long before) {
        int at = count;
        befores[at] = before;
        PLACE.setRelease(entries, at, entry);
        PLACE.setRelease(hashes, at, hash);
        COUNT.setRelease(this, at + 1);
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count == MOST;
    }

    int count() {
        return count;
    }

    long hash(int at) {
        return hashes[at];
    }

    long entry(int at) {
        return entries[at];
    }

    long before(int at) {
        return befores[at];
    }

    /** All of them are in buckets. */
    void clear() {
        COUNT.setRelease(this, 0);
    }
}
