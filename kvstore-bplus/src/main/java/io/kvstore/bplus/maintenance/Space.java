package io.kvstore.bplus.maintenance;

import io.kvstore.engine.DiskRoom;
import io.kvstore.engine.TableContext;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.OverloadedException;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The bytes on the disk that the values of a table take beside those that are alive, and the wait of writers for space.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The bytes that are not alive have four parts: the dead bytes of segments that have live values, the segments that only
 *       the last checkpoint needs, the segments that open snapshots and cursors pin, and the values that waiting changes
 *       replace or remove. The size of the last part is not known before these changes are merged, and is at most the bytes
 *       that they brought. The third part is for the owners of the views to bear. The other three parts are the debt.
 *   <li>The debt is at most the bytes that are alive for sure, and {@code slackBytes}: an operation that puts something waits
 *       while the debt is larger. So files take at most twice the live bytes, a constant, one operation, and the segments that
 *       snapshots and cursors pin.
 *   <li>Upkeep begins long before the debt is at this limit, and by itself keeps the debt below the limit. Dead bytes in
 *       damaged files do not count, because no work can free them. Segments that the last checkpoint needs do not count while a
 *       damaged page keeps the next checkpoint from being made.
 *   <li>On a disk that is too small for this limit, the debt is at most half of the sum of the debt and the free bytes, see
 *       {@link DiskRoom}.
 * </ol>
 */
public final class Space {

    /** The most slack. Pages and the {@link Reserve} take the rest of the 128 MiB beside twice the live bytes. */
    private static final long MOST_SLACK_BYTES = 80 << 20;

    private static final long LEAST_SLACK_BYTES = 256 << 10;

    /** A table with a small page buffer is meant to be a small one: its slack is at most this many times its page buffer. */
    private static final int BUFFER_TIMES = 8;

    /** The values of one layer may be at least this part of the slack. */
    private static final int SLACK_PART = 4;

    /** Pages of a third state may be this part of the slack. Chosen, not measured. */
    private static final int SLACK_PAGES_PART = 2;

    /** The values of one layer may also be this part of the live bytes. */
    private static final int LIVE_PART = 8;

    /** The values of one layer may also be this part of the debt still allowed: for three layers, and one being merged. */
    private static final int ROOM_PART = 4;

    /** Debt below this part of the slack is left alone, however short the disk is. */
    private static final int LEAST_PART = 16;

    /** When the debt has grown by this part of the bytes that were free, a thread looks at the disk again. */
    private static final int LOOK_AGAIN_PART = 8;

    private final TableContext context;
    private final DiskRoom room;
    private final ValueStore values;
    private final LongSupplier waitingBytes;
    private final long slackBytes;
    private final Reserve reserve;
    private final AtomicInteger waiters = new AtomicInteger();
    private volatile long lookAgainBytes;
    private volatile long viewBytes;
    private volatile long lostBytes;
    private volatile boolean isCheckpointBlocked;
    private volatile boolean isFull;

    /**
     * @param waitingBytes bytes of the value records that waiting changes brought
     * @param bufferBytes the most bytes that the page buffer takes
     */
    public Space(TableContext context, ValueStore values, LongSupplier waitingBytes, long bufferBytes)
            throws IOException {
        this.context = context;
        this.room = new DiskRoom(context.storage());
        this.values = values;
        this.waitingBytes = waitingBytes;
        this.slackBytes =
                Math.clamp(BUFFER_TIMES * Math.min(bufferBytes, MOST_SLACK_BYTES), LEAST_SLACK_BYTES, MOST_SLACK_BYTES);
        this.lookAgainBytes = leastBytes();
        this.reserve = new Reserve(context, slackBytes);
    }

    /**
     * The most bytes of values in a layer. A few large layers take less time to merge than many small ones. But each value may
     * replace another one, so layers are small where many bytes are dead.
     */
    public long mostLayerBytes() {
        long room = limitBytes() - (debtBytes() - waitingBytes.getAsLong());
        return Math.max(leastLayerBytes(), Math.max(values.liveBytes() / LIVE_PART, room / ROOM_PART));
    }

    /** The bytes of pages that merges may add to the file while a checkpoint is written, beside two states of all pages. */
    long slackPagesBytes() {
        return slackBytes / SLACK_PAGES_PART;
    }

    /** The bytes of values that a layer may bring at all times. */
    public long leastLayerBytes() {
        return slackBytes / SLACK_PART;
    }

    TableContext context() {
        return context;
    }

    Reserve reserve() {
        return reserve;
    }

    /** Sets the bytes of segments that open snapshots and cursors pin. */
    void pinnedByViews(long bytes) {
        viewBytes = bytes;
    }

    /** Sets the dead bytes of damaged segments, which cannot be emptied. */
    void lost(long bytes) {
        lostBytes = bytes;
    }

    /** Sets whether no checkpoint can be made any more. */
    void checkpointBlocked(boolean blocked) {
        isCheckpointBlocked = blocked;
    }

    /** Sets whether the disk was full when upkeep last tried to make the debt smaller. */
    void full(boolean full) {
        isFull = full;
    }

    /** Bytes of segments that only the last checkpoint needs. */
    long pinnedBytes() {
        return isCheckpointBlocked ? 0 : Math.max(0, values.pinnedBytes() - values.heldBytes() - viewBytes);
    }

    /** Bytes of segments that snapshots and cursors need, as of the last look. */
    long viewBytes() {
        return viewBytes;
    }

    /** Bytes of the debt, which upkeep makes smaller. */
    public long debtBytes() {
        return Math.max(0, values.deadBytes() - lostBytes) + pinnedBytes() + waitingBytes.getAsLong();
    }

    public long limitBytes() {
        return Math.min(usualLimitBytes(), Math.max(leastBytes(), room.mostDeadBytes()));
    }

    private long usualLimitBytes() {
        return Math.max(0, values.liveBytes() - waitingBytes.getAsLong()) + slackBytes;
    }

    private long leastBytes() {
        return slackBytes / LEAST_PART;
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

    boolean isDiskShort() {
        return room.mostDeadBytes() < usualLimitBytes();
    }

    /** Whether a thread that wants to put something has to wait. */
    public boolean isOver() {
        return isOver(debtBytes());
    }

    /** As {@link #isOver()}, for a known debt. */
    public boolean isOver(long debtBytes) {
        return debtBytes > leastBytes() && debtBytes > limitBytes();
    }

    /** Whether the debt has grown enough for another look at the disk: a system call, which is not made under a lock. */
    public boolean isLookDue(long debtBytes) {
        return debtBytes > lookAgainBytes;
    }

    /** Whether a thread waits for the debt to become smaller. */
    boolean isAwaited() {
        return waiters.get() > 0;
    }

    /** Whether the debt is to become smaller now: a thread waits for that, or the next writer would. */
    boolean isPressing() {
        return isAwaited() || isOver();
    }

    void changed() {
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
    public void await(Runnable hurry) throws IOException {
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
