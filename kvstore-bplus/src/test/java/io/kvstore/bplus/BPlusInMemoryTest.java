package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.testkit.InMemoryStoreContract;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Tables of the engine in a store in memory. */
final class BPlusInMemoryTest extends InMemoryStoreContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.put("BTREE_PAGE_BUFFER_SIZE_BYTES", 1_000_000);
        return properties;
    }

    @Override
    protected boolean removalsMakeRoom() {
        return true;
    }

    private static long bufferBytes(KVStore store, String table, Properties properties) {
        store.createDatabaseIfAbsent("db");
        return store.createTable("db", table, "BPLUS", properties)
                .properties()
                .wholeNumber(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES.name());
    }

    /** Pages that leave the buffer would be in memory all the same, and cost a copy each time they come back. */
    @Test
    void pages_may_take_half_of_the_stores_memory_unless_the_table_says_otherwise() {
        KVStoreOptions options = KVStoreOptions.defaults().withMemoryBytes(64 << 20);
        try (KVStore store = KVStore.inMemory(options)) {
            assertEquals(32 << 20, bufferBytes(store, "t", new Properties()));
            assertEquals(1_000_000, bufferBytes(store, "given", properties()));
        }
        try (KVStore store = KVStore.temporary(options)) {
            assertEquals(64 << 20, bufferBytes(store, "t", new Properties()), "the file of this one is elsewhere");
        }
    }
}
