package io.kvstore.engine;

import io.kvstore.data.Clock;
import io.kvstore.data.TableProperties;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.Storage;
import org.jspecify.annotations.Nullable;

/**
 * What a table is given by its store.
 *
 * @param storage the store's files; the table uses those below {@code directory} only
 * @param directory the table's own directory, which exists
 * @param tableId the table's id, never reused in this store
 * @param fileTag another number for every table of every store: it belongs into each file, and files with another are refused
 * @param properties the table's parameters, every one with a value
 * @param barrier what to ask of the log
 * @param failures where a final failure of background work is reported
 * @param snapshots the open snapshots
 * @param epochs how readers are known to have left
 * @param memory the memory of all tables together
 * @param background threads and waits
 * @param clock elapsed time
 * @param stallTimeoutMillis how long an admission may wait
 * @param readOnly whether nothing may be written: replay stays in memory, whatever its size
 * @param seed a secret that is another one for each table and each opening: it seeds the hashes of keys, which users choose
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

    /** Maps the first bytes of a file that does not change them, or null if there is no room for that. */
    public @Nullable ReadMapping map(String path, long bytes) {
        return BudgetedMapping.of(this, path, bytes);
    }
}
