package io.kvstore;

import io.kvstore.durability.OpenStore;
import io.kvstore.durability.OpenTable;
import io.kvstore.engine.Background;
import io.kvstore.error.TableDroppedException;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.MemoryStorage;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.wal.LogStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The figures of a store at one moment.
 *
 * @param memoryBudgetBytes the most off-heap memory the tables may take together
 * @param memoryUsedBytes the memory that the tables take now, by use; {@link MemoryBudget.Use#CHANGES} and
 *     {@link MemoryBudget.Use#HISTORY} are on the heap and do not count in the budget
 * @param memoryStorageLimitBytes the most bytes of all files of a store in memory; 0 for a store in a directory
 * @param memoryStorageUsedBytes the bytes that they take now
 * @param log the write-ahead log
 * @param logWaits how often a writer had to wait because the log had reached its largest size
 * @param keptBytes bytes of the records that are kept beside the log, for tables that could not take them
 * @param checkpoints the checkpoints made since the store was opened
 * @param openSnapshots the number of open snapshots and cursors
 * @param oldestSnapshotAgeMillis age of the oldest open snapshot or cursor, 0 if there is none
 * @param holds the states of the store that backups and copies hold while they copy them
 * @param background the threads of background work, and the tasks that wait for a thread
 * @param missingAbilities what the store does without, because the file system of its directory lacks it; empty on the file
 *     system of the operating system
 * @param tables every table, sorted by database and name
 */
public record StoreStats(
        long memoryBudgetBytes,
        Map<MemoryBudget.Use, Long> memoryUsedBytes,
        long memoryStorageLimitBytes,
        long memoryStorageUsedBytes,
        LogStats log,
        long logWaits,
        long keptBytes,
        CheckpointStats checkpoints,
        int openSnapshots,
        long oldestSnapshotAgeMillis,
        HoldStats holds,
        Background.Load background,
        Set<FileSystemAbility> missingAbilities,
        List<TableStats> tables) {

    /**
     * Checkpoints since the store was opened.
     *
     * @param count how many checkpoints ended well
     * @param lastMillis how long the last checkpoint took
     * @param maxMillis how long the longest checkpoint took
     */
    public record CheckpointStats(long count, long lastMillis, long maxMillis) {}

    /**
     * States of the store that are held as they are.
     *
     * @param count how many are held
     * @param oldestAgeMillis for how long the oldest one has been held, 0 if there is none
     * @param pinnedBytes bytes on the disk that the tables have given up and that are kept for these states; roughly, and
     *     bytes that several holds keep may count more than once
     */
    public record HoldStats(int count, long oldestAgeMillis, long pinnedBytes) {}

    /** Stands for the files of a store in a directory. */
    private static final MemoryStorage NO_FILES = new MemoryStorage(0);

    static StoreStats of(KVStore store) {
        OpenStore parts = store.parts();
        List<TableStats> tables = new ArrayList<>();
        parts.schema().all().forEach(table -> addTo(tables, table));
        MemoryStorage files = parts.storage() instanceof MemoryStorage inMemory ? inMemory : NO_FILES;
        return new StoreStats(
                parts.memory().totalBytes(),
                parts.memory().usedByUse(),
                files.limitBytes(),
                files.usedBytes(),
                parts.logStats(),
                parts.logWaits(),
                parts.keptBytes(),
                new CheckpointStats(
                        parts.checkpointer().count(),
                        parts.checkpointer().lastMillis(),
                        parts.checkpointer().maxMillis()),
                parts.openSnapshots(),
                parts.oldestSnapshotAgeMillis(),
                new HoldStats(
                        parts.holds().count(),
                        parts.holds().oldestAgeMillis(),
                        parts.holds().pinnedBytes()),
                parts.backgroundLoad(),
                parts.missingAbilities(),
                tables);
    }

    private static void addTo(List<TableStats> tables, OpenTable table) {
        try {
            tables.add(TableStats.of(table));
        } catch (TableDroppedException e) {
            // the table was dropped after the list was made
        }
    }
}
