package io.kvstore.bench.store;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** This store with one table. */
final class KVStoreContender implements Contender {

    private final KVStore store;
    private final Table table;

    KVStoreContender(StoreSetup setup, String engine) {
        store = new KVStore(
                setup.directory(),
                KVStoreOptions.defaults()
                        .withDurability(setup.logging() == Logging.SYNC ? Durability.SYNC : Durability.BUFFERED)
                        .withMemoryBytes(setup.budgetBytes()));
        store.createDatabaseIfAbsent("bench");
        Properties properties = new Properties();
        if (engine.equals("BPLUS")) {
            properties.put("BTREE_PAGE_BUFFER_SIZE_BYTES", setup.budgetBytes());
        } else if (engine.equals("LSM")) {
            properties.put("MEM_CACHE_SIZE", setup.budgetBytes() / 4);
        }
        if (setup.logging() == Logging.OFF) {
            properties.put("ENABLE_WAL", false);
        }
        if (setup.inline()) {
            properties.put("VALUE_THRESHOLD_BYTES", Integer.MAX_VALUE);
        }
        table = store.tableOrCreate("bench", "entries", engine, properties);
    }

    @Override
    public Session session() {
        return new Session() {
            @Override
            public void put(byte[] key, byte[] value) {
                table.put(key, value);
            }

            @Override
            public void remove(byte[] key) {
                table.remove(key);
            }

            @Override
            public byte @Nullable [] get(byte[] key) {
                return table.get(key);
            }

            @Override
            public void scan(byte[] from, int limit, Visitor visitor) {
                try (Cursor cursor = table.scan(KeyRange.all().from(from, true).limit(limit))) {
                    while (cursor.next()) {
                        visitor.visit(cursor.key(), cursor.value());
                    }
                }
            }

            @Override
            public void close() {
                // All sessions share the table.
            }
        };
    }

    @Override
    public void flush() {
        table.flush();
    }

    @Override
    public void close() {
        store.close();
    }
}
