package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Durability;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.io.MemoryStorage;
import io.kvstore.testkit.SimStorage;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** {@link KVStore#inMemory}: what it takes, what it refuses, and that all comes back. */
final class InMemoryTest {

    private static final long GIB = 1L << 30;

    private final MachineMemory machine = new MachineMemory(9 * GIB, GIB);

    private static MemoryStorage filesOf(KVStore store) {
        return (MemoryStorage) store.parts().storage();
    }

    @Test
    void closing_gives_all_memory_back() {
        KVStore store = KVStore.inMemory(KVStoreOptions.defaults(), machine);
        MemoryStorage files = filesOf(store);
        store.createDB("db");
        Table table = store.createTable("db", "t", "model");
        table.put("a", new byte[] {1});
        table.flush();
        assertArrayEquals(new byte[] {1}, table.get("a"));
        assertTrue(files.usedBytes() > 0);
        assertEquals(files.usedBytes(), store.stats().memoryStorageUsedBytes());
        store.close();
        store.close();
        assertThrows(StoreClosedException.class, () -> table.get("a"));
        assertEquals(0, files.openResources());
        assertEquals(0, files.usedBytes());
    }

    @Test
    void an_empty_store_takes_little() {
        try (KVStore store = KVStore.inMemory(KVStoreOptions.defaults().withMemoryStorageBytes(1 << 20), machine)) {
            assertEquals(1 << 20, store.stats().memoryStorageLimitBytes());
            long used = store.stats().memoryStorageUsedBytes();
            assertTrue(used < 512 << 10, used + " bytes");
            store.createDB("db");
            assertFalse(store.createTable("db", "t", "model").properties().flag("ENABLE_WAL"));
        }
    }

    @Test
    void tables_have_no_log_and_no_write_is_durable() {
        try (KVStore store = KVStore.inMemory(KVStoreOptions.defaults(), machine)) {
            store.createDB("db");
            Properties logged = new Properties();
            logged.put(TableConfParamsEnum.ENABLE_WAL, true);
            String refusal = String.valueOf(
                    assertThrows(InvalidRequestException.class, () -> store.createTable("db", "t", "model", logged))
                            .getMessage());
            assertTrue(refusal.contains("ENABLE_WAL is true, but the store is in memory"), refusal);
            Table table = store.createTable("db", "t", "model");
            assertThrows(InvalidRequestException.class, () -> table.put(new byte[1], new byte[1], Durability.SYNC));
            table.put("a", new byte[1]);
            store.checkpoint();
            assertEquals(0, store.stats().checkpoints().count());
            assertEquals(0, store.stats().log().records());
        }
    }

    @Test
    void files_have_half_of_what_is_left_unless_the_options_say() {
        long first;
        try (KVStore store = KVStore.inMemory(KVStoreOptions.defaults(), machine)) {
            first = store.stats().memoryStorageLimitBytes();
            assertEquals(3 * GIB, first, "of 8 GiB beside the heap 2 are for the tables");
            try (KVStore beside = KVStore.inMemory(KVStoreOptions.defaults(), machine)) {
                assertTrue(beside.stats().memoryStorageLimitBytes() < first);
            }
        }
        try (KVStore again = KVStore.inMemory(KVStoreOptions.defaults(), machine)) {
            assertEquals(first, again.stats().memoryStorageLimitBytes());
        }
        KVStoreOptions asked =
                KVStoreOptions.defaults().withMemoryBytes(8 << 20).withMemoryStorageBytes(5 << 20);
        try (KVStore store = KVStore.inMemory(asked, machine)) {
            assertEquals(5 << 20, store.stats().memoryStorageLimitBytes());
            assertEquals(8 << 20, store.stats().memoryBudgetBytes());
        }
    }

    @Test
    void options_that_make_no_sense_are_refused_and_take_nothing() {
        KVStoreOptions readOnly = KVStoreOptions.defaults().withReadOnly(true);
        KVStoreOptions elsewhere = KVStoreOptions.defaults().withStorage(new SimStorage());
        assertThrows(InvalidRequestException.class, () -> KVStore.inMemory(readOnly, machine));
        assertThrows(InvalidRequestException.class, () -> KVStore.inMemory(elsewhere, machine));
        String least = String.valueOf(assertThrows(
                        InvalidRequestException.class,
                        () -> KVStoreOptions.defaults().withMemoryStorageBytes((1 << 20) - 1))
                .getMessage());
        assertTrue(least.contains("memoryStorageBytes is 1048575; give 1048576"), least);
        long most = MemoryOptions.mostBytes();
        KVStoreOptions.defaults().withMemoryStorageBytes(most).withMemoryStorageBytes(1 << 20);
        assertThrows(
                InvalidRequestException.class, () -> KVStoreOptions.defaults().withMemoryStorageBytes(most + 1));
        assertEquals(4 * GIB, machine.takeForFiles(0).bytes());
    }
}
