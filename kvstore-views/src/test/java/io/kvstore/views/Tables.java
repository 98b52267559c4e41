package io.kvstore.views;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.TestSeams;
import io.kvstore.data.Durability;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.SimStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** A store in memory that has an empty table whenever one is asked for. */
final class Tables implements AutoCloseable {

    private static final String DATABASE = "views";

    private final String engine;
    private final SimStorage disk;
    private final KVStore store;
    private final List<Table> open = new ArrayList<>();
    private int made;

    /** @param engine {@code LSM} or {@code BPLUS} */
    Tables(String engine) {
        this.engine = engine;
        this.disk = new SimStorage();
        this.store = open(disk);
        store.createDB(DATABASE);
    }

    private static KVStore open(SimStorage disk) {
        return new KVStore(
                Path.of("nowhere"),
                KVStoreOptions.defaults()
                        .withDurability(Durability.BUFFERED)
                        .withMemoryBytes(64 << 20)
                        .withSeams(TestSeams.none().withStorage(disk)));
    }

    /** The store as it is after a power loss at this moment. The caller closes it. */
    KVStore afterPowerLoss() {
        return open(disk.crash(new CrashChoice.DropAll()));
    }

    KVStore store() {
        return store;
    }

    /** A new table. */
    Table next() {
        return next(new Properties());
    }

    /** A new table with parameters. */
    Table next(Properties properties) {
        Table table = store.createTable(DATABASE, "t" + made++, engine, properties);
        open.add(table);
        return table;
    }

    /** Drops all tables that were made. */
    void dropAll() {
        open.forEach(table -> store.dropTable(table.database(), table.name()));
        open.clear();
    }

    @Override
    public void close() {
        store.close();
    }

    @Override
    public String toString() {
        return engine;
    }
}
