package io.kvstore.wal;

/**
 * The write-ahead log at one moment. Counts are since the store was opened.
 *
 * @param records records appended
 * @param recordBytes bytes of these records, headers included
 * @param syncs syncs that ended well
 * @param lastLsn the last lsn given out
 * @param durableLsn the lsn up to which everything is durable
 * @param segments segment files that hold records still needed
 * @param segmentBytes total size of these segment files
 * @param files all files of the log: those segments, prepared segments, and files that could not be deleted yet
 * @param fileBytes total size of all files
 * @param limitBytes the limit of {@code fileBytes}
 * @param maxSyncMicros duration of the longest sync
 * @param failedPreparations how often a segment could not be prepared ahead, mostly because the disk was full
 * @param millisSinceTick time since the thread that syncs by time last checked whether a sync is due; a few tens at most while
 *     that thread works
 */
public record LogStats(
        long records,
        long recordBytes,
        long syncs,
        long lastLsn,
        long durableLsn,
        int segments,
        long segmentBytes,
        int files,
        long fileBytes,
        long limitBytes,
        long maxSyncMicros,
        long failedPreparations,
        long millisSinceTick) {

    /** A log that is not open. */
    public static final LogStats NONE = new LogStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
