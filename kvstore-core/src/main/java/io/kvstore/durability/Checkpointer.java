package io.kvstore.durability;

import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.Notices;
import io.kvstore.io.NoSpaceException;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes tables durable without the log, and has {@link LogRelease} free the log then: on a budget of bytes and time, on
 * request, at close. A table that cannot make a checkpoint keeps its records; the others go on.
 *
 * <p>The lsn up to which all tables hold everything is at most the last one given out before the tables are listed, and each
 * table's last lsn is read after its lock was taken once: so no operation up to it is still under way, or of a younger table.
 *
 * <p>{@link #running} makes a round the only one, but for those of writers that {@link #help}: a table whose checkpoint
 * takes long, or waits for something, keeps the others from theirs only until a writer waits for the log. A table makes one
 * checkpoint at a time, under its own {@link OpenTable#checkpointing()}.
 */
public final class Checkpointer {

    /** A table that takes so long keeps the log for itself. */
    private static final long LATE_NANOS = 1_000_000_000;

    /** Between two checkpoints that are made only because the last one did not free the log. */
    private static final long AGAIN_NANOS = 1_000_000_000;

    /** So many tables beside the first may hang in their checkpoints, and the rest go on. */
    private static final int MOST_HELPERS = 3;

    /** In a round that takes long, the log is freed in between. */
    private static final long RELEASE_NANOS = 500_000_000;

    private final StoreServices services;
    private final Schema schema;
    private final LogRelease release;
    private final ReentrantLock running = new ReentrantLock();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** Guarded by {@link #running}. */
    private boolean closed;

    private volatile long bytesAtLast;
    private volatile long lsnAtLast = -1;
    private volatile long nanosAtLast;
    private volatile long bytesDuringLast;
    private volatile @Nullable Throwable lastFailure;
    private final AtomicLong count = new AtomicLong();
    private volatile long lastMillis;
    private volatile long maxMillis;

    /** Since when the present round is at one table. */
    private volatile long tableSinceNanos;

    private final AtomicInteger helpers = new AtomicInteger();

    Checkpointer(StoreServices services, Schema schema) {
        this.services = services;
        this.schema = schema;
        this.release = new LogRelease(services, schema);
        this.nanosAtLast = services.clock().nanoTime();
    }

    /** Looks whether a checkpoint is due and hands it to the background. */
    void tick() {
        long millis = (services.clock().nanoTime() - nanosAtLast) / 1_000_000;
        boolean due = isLongEnough()
                || (services.log().lastLsn() != lsnAtLast
                        && millis >= services.setup().checkpointIntervalMillis());
        if (due) {
            request();
        }
    }

    /** It begins the earlier, the more was written during the last one. */
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

    /** Hands a checkpoint to the background, unless one is under way. */
    void request() {
        if (services.health().cause() == null) {
            services.background().executeOnce(scheduled, () -> {
                try {
                    run(false);
                } catch (Throwable e) {
                    note(e);
                } finally {
                    scheduled.set(false);
                }
            });
        }
    }

    /** Keeps in mind, and tells, that a checkpoint failed. */
    void note(Throwable failure) {
        lastFailure = failure;
        Notices.warning(Checkpointer.class, null, "a checkpoint failed and is tried again later", failure);
    }

    /** Why the last checkpoint failed; null if it did not. */
    @Nullable
    Throwable lastFailure() {
        return lastFailure;
    }

    /** The name of a table that needs the oldest full segment of the log; null if none does. */
    @Nullable
    String holder() {
        return release.holder();
    }

    /**
     * Called by a writer that waits for the log to be freed, and waits in vain. If no checkpoint is under way it makes one;
     * if one is, and takes long at one table, it makes those of the others: that table's records are kept beside the log.
     */
    void help() throws IOException {
        if (running.tryLock()) {
            try {
                run(false);
            } finally {
                running.unlock();
            }
        } else if (services.clock().nanoTime() - tableSinceNanos >= LATE_NANOS) {
            try {
                if (helpers.incrementAndGet() <= MOST_HELPERS) {
                    checkpointAll(false, () -> {});
                }
            } finally {
                helpers.decrementAndGet();
            }
        }
    }

    /**
     * Makes a checkpoint of every table now. Throws the first failure after having tried all tables.
     *
     * @param waits whether to wait for another checkpoint, and for tables that are flushed just now; those are left out
     *     otherwise
     */
    void run(boolean waits) throws IOException {
        if (waits) {
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
            checkpointAll(waits, () -> tableSinceNanos = services.clock().nanoTime());
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

    /** Returns when no checkpoint runs, and lets none begin: its catalog could meet the next owner of the directory. */
    void close() {
        running.lock();
        try {
            closed = true;
        } finally {
            running.unlock();
        }
    }

    /** The one at close. On a full disk it is none that failed if the log has all that the tables lack. */
    void runLast() throws IOException {
        try {
            run(true);
        } catch (IOException e) {
            if (!isForWantOfSpace(e) || !schema.all().stream().allMatch(Checkpointer::isSafe)) {
                throw e;
            }
            Notices.warning(
                    Checkpointer.class, null, "the disk is full: what the tables' files lack stays in the log", e);
        }
    }

    /** Whether a failure is that the disk is full. */
    static boolean isForWantOfSpace(@Nullable Throwable failure) {
        Throwable at = failure;
        while (at != null && !(at instanceof NoSpaceException || at instanceof DiskFullException)) {
            at = at.getCause();
        }
        return at != null;
    }

    private static boolean isSafe(OpenTable table) {
        Incarnation incarnation = table.incarnationOrNull();
        return table.isLogged() || incarnation == null || incarnation.engine().durableLsn() >= table.lastLsn();
    }

    /** @param atTable run before each table */
    private void checkpointAll(boolean waits, Runnable atTable) throws IOException {
        IOException first = null;
        long complete = services.log().lastLsn();
        Collection<OpenTable> tables = schema.all();
        Set<OpenTable> late = new HashSet<>();
        long releasedNanos = services.clock().nanoTime();
        for (OpenTable table : tables) {
            atTable.run();
            if (services.clock().nanoTime() - releasedNanos >= RELEASE_NANOS) {
                release.run(0, any -> false);
                releasedNanos = services.clock().nanoTime();
            }
            Incarnation incarnation = table.retainOrNull();
            if (incarnation == null) {
                complete = Math.min(complete, heldUnopened(table));
                continue;
            }
            try {
                late.add(table);
                if (checkpoint(table, incarnation, waits)) {
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

    /** What a table that could not be opened, or was dropped meanwhile, holds as far as is known. */
    private long heldUnopened(OpenTable table) {
        CatalogState catalog = services.catalog().state();
        TableInfo info = catalog.tables().get(table.order());
        return info == null || !table.isLogged() ? Long.MAX_VALUE : Math.max(info.heldLsn(), catalog.completeLsn());
    }

    /** Whether it was made, and not left out. */
    private static boolean checkpoint(OpenTable table, Incarnation incarnation, boolean waits) throws IOException {
        if (waits) {
            table.checkpointing().lock();
        } else if (!table.checkpointing().tryLock()) {
            return false;
        }
        try {
            incarnation.engine().checkpoint();
            return true;
        } finally {
            table.checkpointing().unlock();
        }
    }

    /** How many checkpoints ended well. */
    public long count() {
        return count.get();
    }

    /** How long the last one took. */
    public long lastMillis() {
        return lastMillis;
    }

    /** How long the longest took. */
    public long maxMillis() {
        return maxMillis;
    }
}
