package io.kvstore.wal;

import io.kvstore.data.Clock;
import io.kvstore.wal.segment.LogFiles;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts of a log since it was opened, and whether {@link WriteAheadLog#tick} is still called. The promise to sync within an
 * interval must not depend on one thread: if no tick came for twice the interval, a writer does its work. Writers look at the
 * clock for one record in {@value #RECORDS_OF_A_LOOK}, because a look takes part of the time of a write.
 *
 * <p>Each counter has one writer at a time, and any number of readers. {@link #appended} is called under the log's lock.
 */
final class LogCounters {

    private static final int RECORDS_OF_A_LOOK = 16;

    private final Clock clock;
    private final long patienceNanos;
    private volatile long lastTickNanos;
    private volatile boolean overdue;
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong recordBytes = new AtomicLong();
    private final AtomicLong syncs = new AtomicLong();
    private final AtomicLong maxSyncNanos = new AtomicLong();

    LogCounters(Clock clock, long syncIntervalMillis) {
        this.clock = clock;
        this.patienceNanos = 2 * syncIntervalMillis * 1_000_000;
        this.lastTickNanos = clock.nanoTime();
    }

    /** A tick has begun, or a writer does the work of a tick. */
    void ticked() {
        lastTickNanos = clock.nanoTime();
        overdue = false;
    }

    /** Whether a writer should do the work of a tick. */
    boolean isOverdue() {
        return overdue;
    }

    void appended(long bytes) {
        if (records.getPlain() % RECORDS_OF_A_LOOK == 0 && clock.nanoTime() - lastTickNanos > patienceNanos) {
            overdue = true;
        }
        add(records, 1);
        add(recordBytes, bytes);
    }

    void synced(long nanos) {
        add(syncs, 1);
        maxSyncNanos.setRelease(Math.max(maxSyncNanos.getPlain(), nanos));
    }

    private static void add(AtomicLong counter, long amount) {
        counter.setRelease(counter.getPlain() + amount);
    }

    /** Called with the log's lock held. */
    LogStats stats(long lastLsn, long durableLsn, LogSpace space) {
        LogFiles needed = space.active().files();
        LogFiles all = space.files();
        return new LogStats(
                records.get(),
                recordBytes.get(),
                syncs.get(),
                lastLsn,
                durableLsn,
                needed.count(),
                needed.bytes(),
                all.count(),
                all.bytes(),
                space.limitBytes(),
                maxSyncNanos.get() / 1_000,
                space.pool().failedPreparations(),
                (clock.nanoTime() - lastTickNanos) / 1_000_000);
    }
}
