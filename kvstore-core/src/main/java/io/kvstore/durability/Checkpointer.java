package io.kvstore.durability;

import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.Notices;
import io.kvstore.io.NoSpaceException;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes tables durable without the log, and then lets {@link LogRelease} free the log: after a number of bytes or some time,
 * on request, and at close. A table that cannot make a checkpoint keeps its records; the other tables go on. Temporary tables
 * make none.
 *
 * <p>The lsn up to which all tables hold everything is at most the last lsn given out before the tables are listed. Each
 * table's last lsn is read after its lock was taken once. So no operation up to that lsn is still under way or belongs to a
 * younger table.
 *
 * <p>Under {@link #running} only one round runs at a time, apart from the rounds of writers that {@link #help}. So a table
 * whose checkpoint takes long, or waits, delays the checkpoints of the others only until a writer waits for the log. A table
 * makes one checkpoint at a time, under its own {@link OpenTable#checkpointing()}.
 */
public final class Checkpointer {

    /** After the round spent this long at one table, a writer that waits makes the checkpoints of the others. */
    private static final long LATE_NANOS = 1_000_000_000;

    /** The least time between two checkpoints that are made only because the last one did not free the log. */
    private static final long AGAIN_NANOS = 1_000_000_000;

    /** At most this many writers help at a time. So this many tables beside the first may hang in their checkpoints. */
    private static final int MOST_HELPERS = 3;

    /** In a long round, the log is freed whenever this much time has passed. */
    private static final long RELEASE_NANOS = 500_000_000;

    /** The least time between two notices of rounds that fail one after the other. On a full disk there are five a second. */
    private static final long TOLD_NANOS = 60_000_000_000L;

    private final StoreServices services;
    private final Schema schema;
    private final LogRelease release;
    private final ReentrantLock running = new ReentrantLock();
    private final BackgroundTask task;

    /** Guarded by {@link #running}. */
    private boolean closed;

    private volatile long bytesAtLast;
    private volatile long lsnAtLast = -1;
    private volatile long nanosAtLast;
    private volatile long bytesDuringLast;
    private volatile @Nullable Throwable lastFailure;
    private volatile long toldNanos;
    private final AtomicLong count = new AtomicLong();
    private volatile long lastMillis;
    private volatile long maxMillis;

    /** How a round goes about its tables. */
    private enum Round {
        /** Leaves out tables that are being flushed, and does nothing if another round is under way. */
        IN_PASSING,
        WAITING,
        /** As {@link #WAITING}, before the store is closed. */
        LAST
    }

    /** When the present round began with its present table. */
    private volatile long tableSinceNanos;

    private final AtomicInteger helpers = new AtomicInteger();

    Checkpointer(StoreServices services, Schema schema) {
        this.services = services;
        this.schema = schema;
        this.release = new LogRelease(services, schema);
        this.task =
                new BackgroundTask(services.background(), services.background().waiter(), this::runInBackground);
        this.nanosAtLast = services.clock().nanoTime();
    }

    void tick() {
        long millis = (services.clock().nanoTime() - nanosAtLast) / 1_000_000;
        boolean due = isLongEnough()
                || (services.log().lastLsn() != lsnAtLast
                        && millis >= services.setup().checkpointIntervalMillis());
        if (due) {
            request();
        }
    }

    /** Whether the log is long enough. The more bytes were written during the last checkpoint, the fewer are enough. */
    private boolean isLongEnough() {
        long budget = services.setup().checkpointLogBytes();
        long begin = Math.clamp(budget + budget / 4 - 2 * bytesDuringLast, budget / 2, budget);
        return recordBytes() - bytesAtLast >= begin
                || (services.log().space().fullBytes() >= begin
                        && services.clock().nanoTime() - nanosAtLast >= AGAIN_NANOS);
    }

    private long recordBytes() {
        return services.log().stats().recordBytes();
    }

    /** Hands a checkpoint to the background, unless one is scheduled or the store failed. */
    void request() {
        if (services.health().cause() == null) {
            task.request();
        }
    }

    private void runInBackground() {
        try {
            run(Round.IN_PASSING);
        } catch (Throwable e) {
            note(e);
        }
    }

    /** Keeps a failure. Tells the first one after a checkpoint that succeeded, and then one a minute. */
    void note(Throwable failure) {
        long now = services.clock().nanoTime();
        boolean isFirst = lastFailure == null;
        lastFailure = failure;
        if (isFirst || now - toldNanos >= TOLD_NANOS) {
            toldNanos = now;
            Notices.warning(
                    Checkpointer.class, null, "a checkpoint failed and is tried again until one succeeds", failure);
        }
    }

    /** Why the last checkpoint failed; null if it did not. */
    @Nullable
    Throwable lastFailure() {
        return lastFailure;
    }

    /** The name of a table that needs the oldest full segment of the log; null if there is none. */
    @Nullable
    String holder() {
        return release.holder();
    }

    /**
     * Called by a writer that has waited in vain for the log to be freed. If no checkpoint is under way, the writer makes one.
     * If one takes long at one table, the writer makes the checkpoints of the other tables, and that table's records are kept
     * beside the log.
     */
    void help() throws IOException {
        if (running.tryLock()) {
            try {
                run(Round.IN_PASSING);
            } finally {
                running.unlock();
            }
        } else if (services.clock().nanoTime() - tableSinceNanos >= LATE_NANOS) {
            try {
                if (helpers.incrementAndGet() <= MOST_HELPERS) {
                    checkpointAll(Round.IN_PASSING, () -> {});
                }
            } finally {
                helpers.decrementAndGet();
            }
        }
    }

    /**
     * Makes a checkpoint of every table now. Waits for another checkpoint and for tables that are being flushed. Tries all
     * tables, then throws the first failure.
     */
    void run() throws IOException {
        run(Round.WAITING);
    }

    private void run(Round round) throws IOException {
        if (round != Round.IN_PASSING) {
            running.lock();
        } else if (!running.tryLock()) {
            return;
        }
        try {
            if (closed) {
                return;
            }
            long start = services.clock().nanoTime();
            nanosAtLast = start;
            long bytes = recordBytes();
            long lsn = services.log().lastLsn();
            checkpointAll(round, () -> tableSinceNanos = services.clock().nanoTime());
            bytesAtLast = bytes;
            bytesDuringLast = recordBytes() - bytes;
            lsnAtLast = lsn;
            lastFailure = null;
            lastMillis = (services.clock().nanoTime() - start) / 1_000_000;
            maxMillis = Math.max(maxMillis, lastMillis);
            count.incrementAndGet();
        } finally {
            running.unlock();
        }
    }

    /** Waits for a running checkpoint and lets none begin: it could write over the catalog of the directory's next owner. */
    void close() {
        running.lock();
        try {
            closed = true;
        } finally {
            running.unlock();
        }
    }

    /** Makes the checkpoint at close. On a full disk a failure is only a warning if the log has all that the tables lack. */
    void runLast() throws IOException {
        try {
            run(Round.LAST);
        } catch (IOException e) {
            if (!isForWantOfSpace(e) || !schema.allAndStaged().stream().allMatch(this::isSafe)) {
                throw e;
            }
            Notices.warning(
                    Checkpointer.class, null, "the disk is full: what the tables' files lack stays in the log", e);
        }
    }

    static boolean isForWantOfSpace(@Nullable Throwable failure) {
        Throwable at = failure;
        while (at != null && !(at instanceof NoSpaceException || at instanceof DiskFullException)) {
            at = at.getCause();
        }
        return at != null;
    }

    /** Whether a table loses nothing without its checkpoint. One that goes when the store is closed has nothing to lose. */
    private boolean isSafe(OpenTable table) {
        Incarnation incarnation = table.incarnationOrNull();
        return table.isLogged()
                || incarnation == null
                || services.catalog().state().isPassing(incarnation.info())
                || incarnation.engine().durableLsn() >= table.lastLsn();
    }

    private void checkpointAll(Round round, Runnable atTable) throws IOException {
        IOException first = null;
        long complete = services.log().lastLsn();
        Collection<OpenTable> tables = schema.allAndStaged();
        Set<OpenTable> late = new HashSet<>();
        long releasedNanos = services.clock().nanoTime();
        for (OpenTable table : tables) {
            atTable.run();
            if (services.clock().nanoTime() - releasedNanos >= RELEASE_NANOS) {
                release.run(0, any -> false);
                releasedNanos = services.clock().nanoTime();
            }
            if (table.isTemporary()) {
                continue;
            }
            Incarnation incarnation = table.retainOrNull();
            if (incarnation == null) {
                complete = Math.min(complete, heldUnopened(table));
                continue;
            }
            try {
                late.add(table);
                if (checkpoint(table, incarnation, round)) {
                    late.remove(table);
                }
            } catch (IOException e) {
                first = first == null ? e : first;
            } catch (RuntimeException | Error e) {
                first = first == null ? new IOException("the checkpoint of table " + table.name(), e) : first;
            } finally {
                long lsn = incarnation.engine().durableLsn();
                if (table.isLogged() && table.lastLsn() > lsn) {
                    complete = Math.min(complete, lsn);
                }
                incarnation.release();
            }
        }
        release.run(complete, late::contains);
        if (first != null) {
            throw first;
        }
    }

    /** The lsn that a table without an incarnation is known to hold: it could not be opened, or was dropped meanwhile. */
    private long heldUnopened(OpenTable table) {
        return table.isLogged() ? services.catalog().state().heldLsn(table.order()) : Long.MAX_VALUE;
    }

    /** Makes the checkpoint of one table. Returns false if it was left out. */
    private static boolean checkpoint(OpenTable table, Incarnation incarnation, Round round) throws IOException {
        if (round != Round.IN_PASSING) {
            table.checkpointing().lock();
        } else if (!table.checkpointing().tryLock()) {
            return false;
        }
        try {
            TableEngine engine = incarnation.engine();
            if (round == Round.LAST) {
                engine.lastCheckpoint();
            } else {
                engine.checkpoint();
            }
            return true;
        } finally {
            table.checkpointing().unlock();
        }
    }

    public long count() {
        return count.get();
    }

    public long lastMillis() {
        return lastMillis;
    }

    public long maxMillis() {
        return maxMillis;
    }
}
