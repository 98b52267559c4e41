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
                ticks.millisSinceTick());
    }
}
