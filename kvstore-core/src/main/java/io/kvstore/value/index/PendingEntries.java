package io.kvstore.value.index;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The entries of a {@link HashIndex} that were put last and are in no bucket yet. One thread at a time changes them. Any thread
 * may find them.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A slot is written before the count that covers it, and a reader goes from the last slot to the first. So of two entries
 *       of a key the reader meets the newer one. It meets an even newer one only if that was put after the reader began.
 *   <li>The count becomes 0 when all entries are in buckets. So a reader that sees 0, or a slot that was written again, finds
 *       in the buckets the entries that were here.
 *   <li>The hash and the entry of a slot are not read together atomically, so the entry may be that of another key. A reader
 *       that follows an entry compares the key of the record.
 * </ol>
 */
final class PendingEntries {

    static final long NONE = 0;

    /** As many memory reads as a processor has outstanding at a time, or a few more. */
    private static final int MOST = 16;

    private final AtomicLongArray hashes = new AtomicLongArray(MOST);
    private final AtomicLongArray entries = new AtomicLongArray(MOST);
    private final AtomicInteger count = new AtomicInteger();

    /** The newest entry of a hash, or {@link #NONE}. For any thread. */
    long find(long hash) {
        for (int i = count.getAcquire() - 1; i >= 0; i--) {
            if (hashes.getAcquire(i) == hash) {
                return entries.getAcquire(i);
            }
        }
        return NONE;
    }

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

    /** Empties this. All entries must be in buckets. */
    void clear() {
        count.setRelease(0);
    }
}
