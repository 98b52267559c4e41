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
 * How much room on the disk the values of a table take beside those that are alive, and the wait of writers for it.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>What is not alive has four parts: the dead bytes of segments that have something alive, the segments that only the
 *       last checkpoint needs, those that open snapshots and cursors pin, and what waiting changes replace or remove. The last
 *       is not known before they are merged, and is at most all that they brought. The third is its owners', the others are
 *       the debt.
 *   <li>The debt is at most what is alive for sure and {@link #slackBytes}: an operation that puts something waits while it
 *       is more. So files take at most twice what is alive, a constant, one operation, and what snapshots and cursors pin.
 *   <li>Upkeep begins long before, and makes the debt smaller than that by itself; only what is in damaged files does not
 *       count, for nobody can make it less. Nor does what the last checkpoint needs where a damaged page keeps the next one
 *       from being made.
 *   <li>On a disk that is smaller than that, the debt is at most half of the debt and what is free, see {@link DiskRoom}.
 * </ol>
 */
public final class Space {

    /** A table may take 128 MiB beside twice its live bytes. Pages and the {@link Reserve} take the rest of them. */
    private static final long MOST_SLACK_BYTES = 80 << 20;

    private static final long LEAST_SLACK_BYTES = 256 << 10;

    /** A table with a small page buffer is meant to be a small one. */
    private static final int BUFFER_TIMES = 8;

    /** The values of one layer may be this part of the slack, */
    private static final int SLACK_PART = 4;

    /** or this part of the live bytes, */
    private static final int LIVE_PART = 8;

    /** or this part of the debt that is still allowed: three layers, and one that is being merged. */
    private static final int ROOM_PART = 4;

    /** Debt of so small a part of the slack is left alone, however short the disk is. */
    private static final int LEAST_PART = 16;

    /** When the debt has grown by this part of what was free, somebody looks at the disk again. */
    private static final int LOOK_AGAIN_PART = 8;

    private final TableContext context;
    private final DiskRoom room;
    private final ValueStore values;
    private final LongSupplier waitingBytes;
    private final long slackBytes;
    private final AtomicInteger waiters = new AtomicInteger();
    private volatile long lookAgainBytes;
    private volatile long viewBytes;
    private volatile long lostBytes;
    private volatile boolean isCheckpointBlocked;
    private volatile boolean isFull;

    /**
     * Nothing is known yet.
     *
     * @param waitingBytes of records that waiting changes brought
     * @param bufferBytes the most that the page buffer takes
     */
    public Space(TableContext context, ValueStore values, LongSupplier waitingBytes, long bufferBytes) {
        this.context = context;
        this.room = new DiskRoom(context.storage());
        this.values = values;
        this.waitingBytes = waitingBytes;
        this.slackBytes =
                Math.clamp(BUFFER_TIMES * Math.min(bufferBytes, MOST_SLACK_BYTES), LEAST_SLACK_BYTES, MOST_SLACK_BYTES);
        this.lookAgainBytes = leastBytes();
    }

    /**
     * The most bytes of values in a layer. Few large layers take less time to merge than many small ones. But each value may
     * replace another one, so layers are small where many bytes are dead.
     */
    public long mostLayerBytes() {
        long room = limitBytes() - (debtBytes() - waitingBytes.getAsLong());
        return Math.max(leastLayerBytes(), Math.max(values.liveBytes() / LIVE_PART, room / ROOM_PART));
    }

    /** A layer may bring so much at all times. */
    public long leastLayerBytes() {
        return slackBytes / SLACK_PART;
    }

    /** Of the table. */
    TableContext context() {
        return context;
    }

    public long slackBytes() {
        return slackBytes;
    }

    /** Bytes of segments that open snapshots and cursors pin. */
    void pinnedByViews(long bytes) {
        viewBytes = bytes;
    }

    /** Dead bytes in segments that cannot be emptied, as they are damaged. */
    void lost(long bytes) {
        lostBytes = bytes;
    }

    /** Whether no checkpoint can be made any more. */
    void checkpointBlocked(boolean blocked) {
        isCheckpointBlocked = blocked;
    }

    /** Whether the disk was full when something was to be done about the debt last. */
    void full(boolean full) {
        isFull = full;
    }

    /** Bytes of segments that the last checkpoint needs and nobody else. */
    long pinnedBytes() {
        return isCheckpointBlocked ? 0 : Math.max(0, values.pinnedBytes() - viewBytes);
    }

    /** Bytes of segments that snapshots and cursors need, as of the last time that somebody looked. */
    long viewBytes() {
        return viewBytes;
    }

    /** What is to become less. */
    public long debtBytes() {
        return Math.max(0, values.deadBytes() - lostBytes) + pinnedBytes() + waitingBytes.getAsLong();
    }

    /** What the debt may be. */
    public long limitBytes() {
        return Math.min(usualLimitBytes(), Math.max(leastBytes(), room.mostDeadBytes()));
    }

    private long usualLimitBytes() {
        return Math.max(0, values.liveBytes() - waitingBytes.getAsLong()) + slackBytes;
    }

    private long leastBytes() {
        return slackBytes / LEAST_PART;
    }

    /** Sees how much room there is on the disk, if the debt is worth a call of the system. */
    public void lookAtDisk() {
        long debt = debtBytes();
        if (debt > leastBytes()) {
            room.look(debt, values.waitingBytes());
            lookAgainBytes = debt + Math.max(leastBytes(), room.freeBytes() / LOOK_AGAIN_PART);
        } else {
            lookAgainBytes = leastBytes();
        }
    }

    /** Whether the disk has less room than the table may take. */
    boolean isDiskShort() {
        return room.mostDeadBytes() < usualLimitBytes();
    }

    /** Whether who wants to put something has to wait. */
    public boolean isOver() {
        return isOver(debtBytes());
    }

    /** The same, where the debt is known. */
    public boolean isOver(long debtBytes) {
        return debtBytes > leastBytes() && debtBytes > limitBytes();
    }

    /** Whether the debt has grown since somebody looked at the disk, which is a call of the system: not under a lock. */
    public boolean isLookDue(long debtBytes) {
        return debtBytes > lookAgainBytes;
    }

    /** Whether somebody waits for the debt to become less. */
    boolean isAwaited() {
        return waiters.get() > 0;
    }

    /** Whether the debt is to become less now: somebody waits for that, or who comes next would. */
    boolean isPressing() {
        return isAwaited() || isOver();
    }

    /** Those who wait look again. */
    void changed() {
        if (isAwaited()) {
            context.background().waiter().signal();
        }
    }

    /**
     * Waits until the debt is not more than it may be; without any lock.
     *
     * @param hurry has somebody work on it
     * @throws OverloadedException if that takes longer than the stall time-out
     * @throws DiskFullException if the disk is so full that it cannot become less
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
            return; // others may have taken the room: who wants to put looks again
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
