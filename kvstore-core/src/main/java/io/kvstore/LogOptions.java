package io.kvstore;

import io.kvstore.error.InvalidRequestException;

/**
 * How a store keeps its log. Part of {@link KVStoreOptions}.
 *
 * @param syncIntervalMillis the longest time {@code BUFFERED} data stays unsynced, 1 to 3,600,000; default 1000
 * @param segmentBytes size of a log segment, 64 KiB to 1 GiB; default 64 MiB
 * @param checkpointBytes log bytes after which a checkpoint is made, at least one segment; default 256 MiB. The files of the
 *     log take at most 1.5 times as much and two segments
 * @param checkpointIntervalMillis the longest time between checkpoints of changed tables, 1 to 86,400,000; default 300,000
 */
public record LogOptions(
        long syncIntervalMillis, long segmentBytes, long checkpointBytes, long checkpointIntervalMillis) {

    /** @throws InvalidRequestException if a figure is out of its range */
    public LogOptions {
        KVStoreOptions.require("syncIntervalMillis", syncIntervalMillis, 1, KVStoreOptions.HOUR_MILLIS);
        KVStoreOptions.require("walSegmentBytes", segmentBytes, 64 << 10, 1 << 30);
        KVStoreOptions.require("checkpointLogBytes", checkpointBytes, segmentBytes, Long.MAX_VALUE);
        KVStoreOptions.require(
                "checkpointIntervalMillis", checkpointIntervalMillis, 1, 24 * KVStoreOptions.HOUR_MILLIS);
    }

    /** The defaults. */
    public static LogOptions defaults() {
        return new LogOptions(1_000, 64L << 20, 256L << 20, 300_000);
    }

    /** These options with another {@code syncIntervalMillis}. */
    public LogOptions withSyncIntervalMillis(long given) {
        return new LogOptions(given, segmentBytes, checkpointBytes, checkpointIntervalMillis);
    }

    /** These options with another {@code segmentBytes}. */
    public LogOptions withSegmentBytes(long given) {
        return new LogOptions(syncIntervalMillis, given, checkpointBytes, checkpointIntervalMillis);
    }

    /** These options with another {@code checkpointBytes}. */
    public LogOptions withCheckpointBytes(long given) {
        return new LogOptions(syncIntervalMillis, segmentBytes, given, checkpointIntervalMillis);
    }

    /** These options with another {@code checkpointIntervalMillis}. */
    public LogOptions withCheckpointIntervalMillis(long given) {
        return new LogOptions(syncIntervalMillis, segmentBytes, checkpointBytes, given);
    }
}
