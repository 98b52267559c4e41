package io.kvstore.bench;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.engine.Progress;
import java.nio.file.Path;
import java.util.Properties;

/** This store with one LSM table. */
final class StoreSubject implements Subject {

    private final KVStore store;
    private final Table table;

    /** @param byDefault the store's default durability, which decides how its log lands */
    StoreSubject(Path directory, Durability byDefault, long memTableBytes) {
        store = new KVStore(
                directory, KVStoreOptions.defaults().withDurability(byDefault).withMemoryBytes(4 * memTableBytes));
        store.createDB("bench");
        Properties properties = new Properties();
        properties.put("MEM_CACHE_SIZE", memTableBytes);
        table = store.createTable("bench", "entries", "LSM", properties);
    }

    @Override
    public void put(byte[] key, byte[] value, boolean synced) {
        table.put(key, value, synced ? Durability.SYNC : Durability.BUFFERED);
    }

    @Override
    public void settle() {
        table.flush();
        table.optimize(Progress.NONE);
    }

    @Override
    public long syncs() {
        return store.stats().log().syncs();
    }

    @Override
    public void close() {
        store.close();
    }
}
