package io.kvstore.wal;

import io.kvstore.wal.segment.LogFiles;
import java.util.concurrent.atomic.AtomicLong;

/** Counts of a log since it was opened. Each counter has one writer at a time, and any number of readers. */
final class LogCounters {

    private final TickWatch ticks;
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong recordBytes = new AtomicLong();
    private final AtomicLong syncs = new AtomicLong();
    private final AtomicLong maxSyncNanos = new AtomicLong();
    private final AtomicLong failedPreparations = new AtomicLong();

    LogCounters(TickWatch ticks) {
        this.ticks = ticks;
    }

    void appended(long bytes) {
        add(records, 1);
        add(recordBytes, bytes);
    }

    void synced(long nanos) {
        add(syncs, 1);
        maxSyncNanos.setRelease(Math.max(maxSyncNanos.getPlain(), nanos));
    }

    void prepareFailed() {
        add(failedPreparations, 1);
    }

    private static void add(AtomicLong counter, long amount) {
        counter.setRelease(counter.getPlain() + amount);
    }

    long recordBytes() {
        return recordBytes.get();
    }

    LogStats stats(long lastLsn, long durableLsn, LogFiles needed, LogFiles all, long limitBytes) {
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
                limitBytes,
                maxSyncNanos.get() / 1_000,
                failedPreparations.get(),
                ticks.millisSinceTick());
    }
}
