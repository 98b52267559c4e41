package io.kvstore.value;

import io.kvstore.engine.DiskRoom;
import io.kvstore.engine.TableContext;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.OverloadedException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The bytes on the disk that the values of a table take beside those that are alive, and the wait of writers for space.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The debt is the dead bytes of segments that have live values, the segments that only the last checkpoint needs, and as
 *       many bytes as waiting changes brought, because they may replace as many. Segments that open snapshots and cursors pin
 *       are for the owners of these to bear. Dead bytes of damaged segments do not count, because no work can free them.
 *       Segments that the last checkpoint needs do not count while damage keeps the next checkpoint from being made.
 *   <li>The debt is at most the bytes that are alive for sure, and {@code slackBytes}: an operation that puts something waits
 *       while the debt is larger. So files take at most twice the live bytes, a constant, one operation, and the segments that
 *       snapshots and cursors pin.
 *   <li>On a disk that is too small for this limit, the debt is at most half of the sum of the debt and the free bytes, see
 *       {@link DiskRoom}.
 * </ol>
 */
public final class ValueSpace {

    /** Debt below this part of the slack is left alone, however short the disk is. */
    private static final int LEAST_PART = 16;

    /** When the debt has grown by this part of the bytes that were free, a thread looks at the disk again. */
    private static final int LOOK_AGAIN_PART = 8;

    private final TableContext context;
    private final ValueStore values;
    private final LongSupplier waitingBytes;
    private final LongSupplier aliveBytes;
    private final DiskRoom room;
    private final long slackBytes;
    private final AtomicInteger waiters = new AtomicInteger();
    private volatile long lookAgainBytes;
    private volatile long viewBytes;
    private volatile long lostBytes;
    private volatile boolean isCheckpointBlocked;
    private volatile boolean isFull;

    /**
     * @param waitingBytes bytes of the value records that waiting changes brought
     * @param aliveBytes bytes that are alive whatever the waiting changes replace
     */
    public ValueSpace(
            TableContext context,
            ValueStore values,
            LongSupplier waitingBytes,
            LongSupplier aliveBytes,
            long slackBytes) {
        this.context = context;
        this.values = values;
        this.waitingBytes = waitingBytes;
        this.aliveBytes = aliveBytes;
        this.room = new DiskRoom(context.storage());
        this.slackBytes = slackBytes;
        this.lookAgainBytes = leastBytes();
    }

    private long leastBytes() {
        return slackBytes / LEAST_PART;
    }

    /** Sets the bytes of segments that open snapshots and cursors pin. */
    public void pinnedByViews(long bytes) {
        viewBytes = bytes;
    }

    /** Sets the dead bytes of damaged segments, which cannot be emptied. */
    public void lost(long bytes) {
        lostBytes = bytes;
    }

    /** Sets whether no checkpoint can be made any more. */
    public void checkpointBlocked(boolean blocked) {
        isCheckpointBlocked = blocked;
    }

    /** Sets whether the disk was full when work on the debt was last tried. */
    public void full(boolean full) {
        isFull = full;
    }

    /** Bytes of segments that only the last checkpoint needs. */
    public long pinnedBytes() {
        return isCheckpointBlocked ? 0 : Math.max(0, values.pinnedBytes() - values.heldBytes() - viewBytes);
    }

    /** Bytes of segments that snapshots and cursors need, as of the last look. */
    public long viewBytes() {
        return viewBytes;
    }

    /** Bytes of the debt, which background work makes smaller. */
    public long debtBytes() {
        return Math.max(0, values.deadBytes() - lostBytes) + pinnedBytes() + waitingBytes.getAsLong();
    }

    public long limitBytes() {
        return Math.min(usualLimitBytes(), Math.max(leastBytes(), room.mostDeadBytes()));
    }

    private long usualLimitBytes() {
        return aliveBytes.getAsLong() + slackBytes;
    }

    public boolean isDiskShort() {
        return room.mostDeadBytes() < usualLimitBytes();
    }

    /** Whether an operation that puts something has to wait. */
    public boolean isOver() {
        return isOver(debtBytes());
    }

    /** As {@link #isOver()}, for a known debt. */
    public boolean isOver(long debtBytes) {
        return debtBytes > leastBytes() && debtBytes > limitBytes();
    }

    /** Whether the debt is to become smaller now: a thread waits for that, or the next writer would. */
    public boolean isPressing() {
        return isAwaited() || isOver();
    }

    private boolean isAwaited() {
        return waiters.get() > 0;
    }

    /** Whether the debt has grown enough for another look at the disk: a system call, which is not made under a lock. */
    public boolean isLookDue(long debtBytes) {
        return debtBytes > lookAgainBytes;
    }

    /** Looks how much room there is on the disk, if the debt is worth a system call. */
    public void lookAtDisk() {
        long debt = debtBytes();
        if (debt > leastBytes()) {
            room.look(debt, values.log().waitingBytes());
            lookAgainBytes = debt + Math.max(leastBytes(), room.freeBytes() / LOOK_AGAIN_PART);
        } else {
            lookAgainBytes = leastBytes();
        }
    }

    /** Has the threads that wait look again. */
    public void changed() {
        if (isAwaited()) {
            context.background().waiter().signal();
        }
    }

    /**
     * Waits until the debt is within its limit. Without any lock.
     *
     * @param hurry has the background work on the debt
     * @throws OverloadedException if that takes longer than the stall time-out
     * @throws DiskFullException if the disk is so full that the debt cannot become smaller
     */
    public void await(Runnable hurry) {
        boolean hasRoom;
        waiters.incrementAndGet();
        try {
            isFull = false; // to be found out once more
            hurry.run();
            hasRoom = context.background().waiter().await(() -> !isOver() || isFull, context.stallTimeoutMillis());
        } finally {
            waiters.decrementAndGet();
        }
        if (!isOver() || (hasRoom && !isFull)) {
            return; // other threads may have taken the room: a thread that wants to put looks again
        }
        String what =
                context.directory() + ": " + debtBytes() + " bytes on the disk belong to values that were replaced or"
                        + " removed, and " + limitBytes() + " may";
        if (isFull || isDiskShort()) {
            throw new DiskFullException(what + "; to give them back takes a little room; free some space", null);
        }
        throw new OverloadedException(what + "; write more slowly, or raise stallTimeoutMillis");
    }
}
