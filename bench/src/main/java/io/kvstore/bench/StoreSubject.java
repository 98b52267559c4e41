package io.kvstore.bench;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import java.nio.file.Path;

/** This store with one LSM table. */
final class StoreSubject implements Subject {

    private final KVStore store;
    private final Table table;

    /** @param byDefault the store's default durability, which decides how its log lands */
    StoreSubject(Path directory, Durability byDefault) {
        store = new KVStore(
                directory, KVStoreOptions.defaults().withDurability(byDefault).withMemoryBytes(Workload.MEMORY_BYTES));
        store.createDB("bench");
        table = store.createTable("bench", "entries", "LSM");
    }

    @Override
    public void put(byte[] key, byte[] value, boolean synced) {
        table.put(key, value, synced ? Durability.SYNC : Durability.BUFFERED);
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
