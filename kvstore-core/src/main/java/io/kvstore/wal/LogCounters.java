package io.kvstore.wal;

/** Counts of a log since it was opened. Appends are counted under the log's lock, syncs by the leader. */
final class LogCounters {

    private volatile long records;
    private volatile long recordBytes;
    private volatile long syncs;
    private volatile long maxSyncNanos;
    private volatile long failedPreparations;

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one writer at a time: the holder of the log's lock
    void appended(long bytes) {
        records++;
        recordBytes += bytes;
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one writer at a time: the leader
    void synced(long nanos) {
        syncs++;
        maxSyncNanos = Math.max(maxSyncNanos, nanos);
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one writer at a time: the preparing thread
    void prepareFailed() {
        failedPreparations++;
    }

    LogStats stats(long lastLsn, long durableLsn, int segments, long segmentBytes) {
        return new LogStats(
                records,
                recordBytes,
                syncs,
                lastLsn,
                durableLsn,
                segments,
                segmentBytes,
                maxSyncNanos / 1_000,
                failedPreparations);
    }
}
