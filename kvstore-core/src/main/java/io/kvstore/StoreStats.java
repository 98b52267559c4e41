package io.kvstore;

import io.kvstore.engine.MemoryBudget;
import io.kvstore.wal.LogStats;
import java.util.List;
import java.util.Map;

/**
 * What a store knows of itself at one moment.
 *
 * @param memoryBudgetBytes the most off-heap memory the tables may take together
 * @param memoryUsedBytes what they take now, by use
 * @param log the write-ahead log
 * @param checkpoints the checkpoints made since the store was opened
 * @param openSnapshots snapshots and iterators that are open
 * @param oldestSnapshotAgeMillis age of the oldest of them, 0 without any
 * @param stalls how often a write had to wait for room since the store was opened
 * @param tables every table, sorted by database and name
 */
public record StoreStats(
        long memoryBudgetBytes,
        Map<MemoryBudget.Use, Long> memoryUsedBytes,
        LogStats log,
        CheckpointStats checkpoints,
        int openSnapshots,
        long oldestSnapshotAgeMillis,
        long stalls,
        List<TableStats> tables) {

    /**
     * Checkpoints since the store was opened.
     *
     * @param count how many ended well
     * @param lastMillis how long the last one took
     * @param maxMillis how long the longest took
     */
    public record CheckpointStats(long count, long lastMillis, long maxMillis) {}
}
