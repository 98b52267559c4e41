package io.kvstore;

import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Findings;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** A key-value store: databases of tables, each table an ordered map with an engine of its own. */
public final class KVStore implements AutoCloseable {

    public KVStore(File directory) {
        this(directory.toPath(), KVStoreOptions.defaults());
    }

    public KVStore(Path directory, KVStoreOptions options) {
        throw new UnsupportedOperationException(directory + " " + options);
    }

    public KVStoreOptions options() {
        throw new UnsupportedOperationException();
    }

    /** The engines on the class path, sorted. */
    public List<String> engines() {
        throw new UnsupportedOperationException();
    }

    public List<String> databases() {
        throw new UnsupportedOperationException();
    }

    public void createDB(String database) {
        throw new UnsupportedOperationException();
    }

    public void dropDB(String database) {
        throw new UnsupportedOperationException();
    }

    public List<String> tables(String database) {
        throw new UnsupportedOperationException();
    }

    public Table createTable(String database, String table, String engine, Properties properties) {
        throw new UnsupportedOperationException();
    }

    public Table createTable(String database, String table, String engine) {
        return createTable(database, table, engine, new Properties());
    }

    public void dropTable(String database, String table) {
        throw new UnsupportedOperationException();
    }

    public Table table(String database, String table) {
        throw new UnsupportedOperationException();
    }

    public void put(String database, String table, byte[] key, byte[] value) {
        table(database, table).put(key, value);
    }

    public void put(String database, String table, String key, byte[] value) {
        table(database, table).put(key, value);
    }

    public byte @Nullable [] get(String database, String table, byte[] key) {
        return table(database, table).get(key);
    }

    public byte @Nullable [] get(String database, String table, String key) {
        return table(database, table).get(key);
    }

    public void remove(String database, String table, byte[] key) {
        table(database, table).remove(key);
    }

    public void remove(String database, String table, String key) {
        table(database, table).remove(key);
    }

    public List<byte @Nullable []> getAll(String database, String table, List<byte[]> keys) {
        return table(database, table).getAll(keys);
    }

    public Cursor scan(String database, String table, KeyRange range) {
        return table(database, table).scan(range);
    }

    /** Applies a batch with the strongest durability of its tables; returns its lsn. */
    public long write(WriteBatch batch) {
        return write(batch, null);
    }

    /** Applies a batch; null durability means the strongest of its tables. Returns its lsn. */
    public long write(WriteBatch batch, @Nullable Durability durability) {
        throw new UnsupportedOperationException();
    }

    public Snapshot snapshot() {
        throw new UnsupportedOperationException();
    }

    /** Makes every table durable without the log and frees log segments. */
    public void checkpoint() {
        throw new UnsupportedOperationException();
    }

    public Findings verify() {
        throw new UnsupportedOperationException();
    }

    public StoreStats stats() {
        throw new UnsupportedOperationException();
    }

    /** Whether the store accepts work; the reason if not (poisoned), else null. */
    public @Nullable String failure() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
