package io.kvstore.views;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.TestSeams;
import io.kvstore.data.Durability;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A store without files that has an empty table whenever one is asked for. */
final class Tables implements AutoCloseable {

    private static final String DATABASE = "views";

    private final String engine;
    private final @Nullable SimStorage disk;
    private final KVStore store;
    private final List<Table> open = new ArrayList<>();
    private int made;

    /**
     * A store on a simulated disk.
     *
     * @param engine {@code LSM} or {@code BPLUS}
     */
    Tables(String engine) {
        this(engine, new SimStorage());
    }

    private Tables(String engine, SimStorage disk) {
        this(engine, disk, open(disk));
    }

    private Tables(String engine, @Nullable SimStorage disk, KVStore store) {
        this.engine = engine;
        this.disk = disk;
        this.store = store;
        store.createDB(DATABASE);
    }

    /** A store in memory, as a program without a directory has it. */
    static Tables inMemory(String engine) {
        return new Tables(engine, null, KVStore.inMemory(options()));
    }

    /** The store of each engine on a disk and in memory. */
    static List<Tables> ofEveryKind() {
        return List.of(new Tables("LSM"), new Tables("BPLUS"), inMemory("LSM"), inMemory("BPLUS"));
    }

    private static KVStore open(SimStorage disk) {
        return new KVStore(
                Path.of("nowhere"),
                options()
                        .withDurability(Durability.BUFFERED)
                        .withSeams(TestSeams.none().withStorage(disk)));
    }

    private static KVStoreOptions options() {
        return KVStoreOptions.defaults().withMemoryBytes(64 << 20);
    }

    /** The store as it is after a power loss at this moment. The caller closes it. */
    KVStore afterPowerLoss() {
        return open(disk().crash(new CrashChoice.DropAll()));
    }

    /** The store opened again, with a bit changed in the middle of some files of its tables. The caller closes it. */
    KVStore afterDamage(Predicate<String> damaged) throws IOException {
        SimStorage copy = disk().crash(new CrashChoice.KeepAll());
        for (String file : copy.files()) {
            if (file.startsWith("tables/") && damaged.test(file)) {
                byte[] bytes = copy.bytes(file);
                bytes[bytes.length / 2] ^= 1;
                copy.replace(file, bytes);
            }
        }
        return open(copy);
    }

    private SimStorage disk() {
        return Objects.requireNonNull(disk, "the store is in memory");
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
        return disk == null ? engine + " in memory" : engine;
    }
}
