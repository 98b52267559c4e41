package io.kvstore.hash.table;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The changes that were applied last and are not in the index yet. They come into the index many at a time, so that the
 * processor reads the lines and records of all of them at once. The thread with the lock of the table changes them. Any thread
 * may find them.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A slot is written before the count that covers it, and a reader goes from the last slot to the first. So of two changes
 *       of a key the reader meets the newer one first.
 *   <li>The count becomes 0 when all changes are in the index. A reader that sees 0, or a slot that was written again, finds in
 *       the index the changes that were here. What was written again is newer than the operation that the reader looks for.
 * </ol>
 */
final class PendingChanges {

    /** As many memory reads as a processor has outstanding at a time, or a few more. */
    static final int USUAL = 16;

    /** For tables whose old records come from the disk, which makes many reads at a time. */
    static final int MOST = 128;

    /** Records that are replaced count as alive until their changes come into the index. */
    private static final long REPLACED_BYTES = 1 << 20;

    private final AtomicReferenceArray<@Nullable PendingChange> slots = new AtomicReferenceArray<>(MOST);
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong valueBytes = new AtomicLong();

    /** How many changes may wait when their old records, of so many bytes each, come from the disk. */
    static int mostOfDisk(long recordBytes) {
        return Math.clamp(REPLACED_BYTES / Math.max(1, recordBytes), USUAL, MOST);
    }

    /** Whether no change waits. For any thread. */
    boolean isEmpty() {
        return count.getAcquire() == 0;
    }

    /** The newest change of a key up to an lsn, or null. For any thread. */
    @Nullable
    PendingChange find(long hash, byte[] key, long lsn) {
        for (int i = count.getAcquire() - 1; i >= 0; i--) {
            PendingChange change = slots.getAcquire(i);
            if (change != null && change.hash() == hash && change.lsn() <= lsn && change.isOf(hash, key)) {
                return change;
            }
        }
        return null;
    }

    void add(PendingChange change) {
        int at = count.getPlain();
        slots.setRelease(at, change);
        count.setRelease(at + 1);
        valueBytes.setRelease(valueBytes.getPlain() + Math.max(0, change.valueLength()));
    }

    /** Bytes of the values that the changes brought. For any thread. */
    long valueBytes() {
        return valueBytes.getAcquire();
    }

    int count() {
        return count.getPlain();
    }

    PendingChange get(int at) {
        PendingChange change = slots.getPlain(at);
        if (change == null) {
            throw new IllegalStateException("there is no pending change " + at);
        }
        return change;
    }

    void clear() {
        count.setRelease(0);
        valueBytes.setRelease(0);
    }
}
