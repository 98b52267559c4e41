package io.kvstore.durability;

import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.wal.WriteAheadLog;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes tables durable without the log, and then frees the log: on a budget of bytes and time, on request, at close.
 *
 * <p>Order: every table's checkpoint; then the catalog notes each table's lsn and the first segment that is still needed;
 * then the segments before it go. A segment is free when each table holds in its own files its last record of that segment.
 * A table that cannot make a checkpoint keeps its records; the others go on.
 *
 * <p>The lsn up to which all tables hold everything is at most the last one given out before the tables are listed, and each
 * table's last lsn is read after its lock was taken once: so no operation up to it is still under way, or of a younger table.
 */
public final class Checkpointer {

    private static final Logger LOG = System.getLogger(Checkpointer.class.getName());

    private final StoreServices services;
    private final Schema schema;
    private final ReentrantLock running = new ReentrantLock();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private volatile long bytesAtLast;
    private volatile long lsnAtLast = -1;
    private volatile long nanosAtLast;
    private final AtomicLong count = new AtomicLong();
    private volatile long lastMillis;
    private volatile long maxMillis;

    Checkpointer(StoreServices services, Schema schema) {
        this.services = services;
        this.schema = schema;
        this.nanosAtLast = services.clock().nanoTime();
    }

    /** Looks whether a checkpoint is due and hands it to the background. */
    void tick() {
        long bytes = services.log().stats().recordBytes() - bytesAtLast;
        long millis = (services.clock().nanoTime() - nanosAtLast) / 1_000_000;
        boolean due = bytes >= services.setup().checkpointLogBytes()
                || (services.log().lastLsn() != lsnAtLast
                        && millis >= services.setup().checkpointIntervalMillis());
        if (due && services.health().cause() == null) {
            services.background().executeOnce(scheduled, () -> {
                try {
                    run(false);
                } catch (IOException | RuntimeException e) {
                    LOG.log(Level.WARNING, "a checkpoint failed and is tried again later", e);
                } finally {
                    scheduled.set(false);
                }
            });
        }
    }

    /**
     * Makes a checkpoint of every table now. Throws the first failure after having tried all tables.
     *
     * @param waits whether to wait for another checkpoint, and for tables with a long job under way; those are left out
     *     otherwise
     */
    void run(boolean waits) throws IOException {
        if (waits) {
            running.lock();
        } else if (!running.tryLock()) {
            return;
        }
        try {
            long start = services.clock().nanoTime();
            nanosAtLast = start;
            long bytes = services.log().stats().recordBytes();
            long lsn = services.log().lastLsn();
            checkpointAll(waits);
            bytesAtLast = bytes;
            lsnAtLast = lsn;
            lastMillis = (services.clock().nanoTime() - start) / 1_000_000;
            maxMillis = Math.max(maxMillis, lastMillis);
            count.incrementAndGet();
        } finally {
            running.unlock();
        }
    }

    private void checkpointAll(boolean waits) throws IOException {
        Map<Integer, Long> durable = new HashMap<>();
        IOException first = null;
        long complete = services.log().lastLsn();
        for (OpenTable table : schema.all()) {
            Incarnation incarnation = table.retainOrNull();
            if (incarnation == null) {
                complete = Math.min(complete, heldUnopened(table));
                continue;
            }
            try {
                checkpoint(table, incarnation, waits);
            } catch (IOException e) {
                first = first == null ? e : first;
            } catch (RuntimeException e) {
                first = first == null ? new IOException("the checkpoint of table " + table.name(), e) : first;
            } finally {
                long lsn = incarnation.engine().durableLsn();
                durable.put(incarnation.id(), lsn);
                if (table.isLogged() && table.lastLsn() > lsn) {
                    complete = Math.min(complete, lsn);
                }
                incarnation.release();
            }
        }
        free(durable, complete);
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

    private static void checkpoint(OpenTable table, Incarnation incarnation, boolean waits) throws IOException {
        if (waits) {
            table.maintenance().lock();
        } else if (!table.maintenance().tryLock()) {
            return;
        }
        try {
            incarnation.engine().checkpoint();
        } finally {
            table.maintenance().unlock();
        }
    }

    /**
     * Frees segments. A table is looked up in the catalog at the moment its segment is judged: it was listed there before
     * its first record, so one that is missing was dropped.
     */
    private void free(Map<Integer, Long> durable, long complete) throws IOException {
        WriteAheadLog log = services.log();
        if (!log.sync(log.lastLsn())) {
            throw new IOException("the log failed before the first segment that is needed was durable");
        }
        long firstNeeded = log.firstNeededSegment(id -> {
            TableInfo info = services.catalog().state().tables().get(id);
            return info == null ? Long.MAX_VALUE : durable.getOrDefault(id, info.checkpointLsn());
        });
        services.catalog().checkpointed(durable, firstNeeded, complete);
        log.deleteBefore(firstNeeded);
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
