package io.kvstore.hash.maintenance;

import io.kvstore.engine.DiskRoom;
import io.kvstore.engine.TableContext;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.OverloadedException;
import io.kvstore.hash.table.TableState;
import io.kvstore.value.ValueStore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes on the disk that the values of a table take beside those that are alive, and the wait of writers for space.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The debt is the dead bytes of segments that have live values, the segments that only the last checkpoint needs, and as
 *       many bytes as pending changes brought, because they may replace as many. Segments that open views pin are for the
 *       owners of the views to bear. Dead bytes of damaged segments do not count, because no work can free them.
 *   <li>The debt is at most the bytes that are alive, and {@code slackBytes}: an operation that puts something waits while the
 *       debt is larger. On a disk that is too small for this, the debt is at most half of the sum of debt and free bytes.
 * </ol>
 */
public final class Space {

    private static final long MOST_SLACK_BYTES = 80 << 20;
    private static final int SLACK_SEGMENTS = 16;

    /** Debt below this part of the slack is left alone, however short the disk is. */
    private static final int LEAST_PART = 16;

    /** When the debt has grown by this part of the bytes that were free, a thread looks at the disk again. */
    private static final int LOOK_AGAIN_PART = 8;

    private final TableState state;
    private final TableContext context;
    private final ValueStore values;
    private final DiskRoom room;
    private final long slackBytes;
    private final AtomicInteger waiters = new AtomicInteger();
    private volatile long lookAgainBytes;
    private volatile long viewBytes;
    private volatile long lostBytes;
    private volatile boolean isFull;

    public Space(TableState state, long leastSegmentBytes) {
        this.state = state;
        this.context = state.context();
        this.values = state.records().values();
        this.room = new DiskRoom(context.storage());
        this.slackBytes = Math.min(MOST_SLACK_BYTES, SLACK_SEGMENTS * leastSegmentBytes);
        this.lookAgainBytes = leastBytes();
    }

    private long leastBytes() {
        return slackBytes / LEAST_PART;
    }

    /** Sets the bytes of segments that open views pin. */
    void pinnedByViews(long bytes) {
        viewBytes = bytes;
    }

    /** Sets the dead bytes of damaged segments. */
    void lost(long bytes) {
        lostBytes = bytes;
    }

    /** Sets whether the disk was full when work on the debt was tried. */
    void full(boolean full) {
        isFull = full;
    }

    /** Bytes of segments that only the last checkpoint needs. */
    long pinnedBytes() {
        return Math.max(0, values.pinnedBytes() - values.heldBytes() - viewBytes);
    }

    long debtBytes() {
        return Math.max(0, values.deadBytes() - lostBytes) + pinnedBytes() + state.pendingValueBytes();
    }

    long limitBytes() {
        return Math.min(usualLimitBytes(), Math.max(leastBytes(), room.mostDeadBytes()));
    }

    private long usualLimitBytes() {
        return values.liveBytes() + slackBytes;
    }

    boolean isDiskShort() {
        return room.mostDeadBytes() < usualLimitBytes();
    }

    /** Whether an operation that puts something has to wait. */
    public boolean isOver() {
        long debt = debtBytes();
        return debt > leastBytes() && debt > limitBytes();
    }

    boolean isPressing() {
        return waiters.get() > 0 || isOver();
    }

    /** Whether the debt has grown enough for another look at the disk: a system call, which is not made under a lock. */
    public boolean isLookDue() {
        return debtBytes() > lookAgainBytes;
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

    void changed() {
        if (waiters.get() > 0) {
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
            return; // others may have taken the room: a thread that wants to put looks again
        }
        String reason =
                context.directory() + ": " + debtBytes() + " bytes on the disk belong to values that were replaced or"
                        + " removed, and " + limitBytes() + " may";
        if (isFull || isDiskShort()) {
            throw new DiskFullException(reason + "; to give them back takes a little room; free some space", null);
        }
        throw new OverloadedException(reason + "; write more slowly, or raise stallTimeoutMillis");
    }
}
