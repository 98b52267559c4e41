package io.kvstore;

import io.kvstore.durability.OpenTable;
import io.kvstore.engine.EngineStats;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a table at one moment.
 *
 * @param database the database's name
 * @param table the table's name
 * @param id the table's id, never reused
 * @param engineName the engine's name
 * @param engine the engine's figures; null when the table failed
 * @param failure why the table cannot be used; null when it can be used
 */
public record TableStats(
        String database,
        String table,
        int id,
        String engineName,
        @Nullable EngineStats engine,
        @Nullable String failure) {

    static TableStats of(OpenTable table) {
        KVStoreException failure = table.failure();
        return new TableStats(
                table.database(),
                table.name(),
                failure == null ? table.info().id() : table.order(),
                table.engineName(),
                failure == null ? table.engineStats() : null,
                failure == null ? null : reason(failure));
    }

    /** The message of a failure of the file system has the path of the file, which is nothing for every reader of figures. */
    private static @Nullable String reason(KVStoreException failure) {
        return failure instanceof StorageException
                ? "an I/O operation failed; the log of the program has the cause"
                : failure.getMessage();
    }
}
