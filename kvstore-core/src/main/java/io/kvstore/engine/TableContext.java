package io.kvstore.engine;

import io.kvstore.data.Clock;
import io.kvstore.data.TableProperties;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.Storage;
import io.kvstore.memory.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a store gives to one of its tables.
 *
 * @param storage the store's files; the table uses those below {@code directory} only
 * @param directory the table's own directory, which exists
 * @param tableId the table's id, never reused in this store
 * @param fileTag a number that is different for every table of every store; each file contains it, and files with another
 *     number are refused
 * @param properties the table's parameters, every one with a value
 * @param barrier the requests that the table may make to the log
 * @param failures where a final failure of background work is reported
 * @param snapshots the open snapshots
 * @param epochs tells when readers have left
 * @param memory the memory of all tables together
 * @param background threads and waits
 * @param clock elapsed time
 * @param stallTimeoutMillis how long an admission may wait
 * @param readOnly whether nothing may be written; replay then stays in memory, whatever its size
 * @param seed a secret that is different for each table and each opening; it seeds the hashes of keys, because users choose the
 *     keys
 */
public record TableContext(
        Storage storage,
        String directory,
        int tableId,
        int fileTag,
        TableProperties properties,
        DurabilityBarrier barrier,
        FailureHandler failures,
        Snapshots snapshots,
        Epochs epochs,
        MemoryBudget memory,
        Background background,
        Clock clock,
        long stallTimeoutMillis,
        boolean readOnly,
        long seed) {

    /** Maps the first bytes of a file, which the table does not change. Null if there is no room for the mapping. */
    public @Nullable ReadMapping map(String path, long bytes) {
        return BudgetedMapping.of(this, path, bytes);
    }
}
