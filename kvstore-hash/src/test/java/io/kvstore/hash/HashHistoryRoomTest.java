package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.KeyRange;
import io.kvstore.error.OverloadedException;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens when open views need as many old places as the memory allows. */
final class HashHistoryRoomTest {

    private static final long MEMORY_BYTES = 8 << 20;
    private static final int KEYS = 30_000;
    private static final int NODE_BYTES = 48;

    /** Of one operation each, spare ones, and what was not forgotten yet because it was durable a moment ago. */
    private static final long MORE_BYTES = 8_000 * NODE_BYTES;

    private static KVStore open(long stallTimeoutMillis) {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(new SimStorage())
                        .withMemoryBytes(MEMORY_BYTES)
                        .withStallTimeoutMillis(stallTimeoutMillis));
    }

    private static Table table(KVStore store, String name, String engine, boolean log) {
        Properties properties = new Properties();
        properties.put("ENABLE_WAL", log);
        return store.createTable("db", name, engine, properties);
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number) {
        return ByteBuffer.allocate(2 * Integer.BYTES).putInt(number).array();
    }

    private static void fill(KVStore store, Table table, int round) {
        for (int i = 0; i < KEYS; i += 1_000) {
            WriteBatch batch = new WriteBatch();
            for (int j = i; j < i + 1_000; j++) {
                batch.put(table, key(j), value(j + round));
            }
            store.write(batch);
        }
    }

    private static long counted(KVStore store) {
        return store.stats().memoryUsedBytes().getOrDefault(MemoryBudget.Use.HISTORY, 0L);
    }

    /** Only what would keep another place is refused: it says for how long, and what helps. */
    @ParameterizedTest
    @CsvSource({"HASH, true", "HASH, false", "CROWDED_HASH, true", "CROWDED_HASH, false"})
    void records_that_views_show_are_not_replaced_when_there_is_no_room_for_their_places(String engine, boolean log) {
        try (KVStore store = open(250)) {
            store.createDB("db");
            Table table = table(store, "t", engine, log);
            Table other = table(store, "u", engine, log);
            fill(store, table, 0);
            other.put(key(1), value(1));
            long limit = (long) Measures.of(table, "history_limit_bytes");
            assertTrue(limit < KEYS * NODE_BYTES, "there are enough keys");
            int replaced = 0;
            try (Snapshot snapshot = store.snapshot()) {
                OverloadedException refused = null;
                for (; refused == null; replaced++) {
                    try {
                        table.put(key(replaced), value(-1));
                    } catch (OverloadedException e) {
                        refused = e;
                        replaced--;
                    }
                }
                String message = String.valueOf(refused.getMessage());
                assertTrue(message.contains("1 snapshots and cursors are open, the oldest for "), message);
                assertTrue(message.contains(limit + " bytes") && message.contains("close them"), message);
                assertTrue(Measures.of(table, "history_bytes") > limit - MORE_BYTES, "refused too early");
                int next = replaced;
                assertThrows(OverloadedException.class, () -> table.remove(key(next)));
                assertThrows(OverloadedException.class, () -> other.put(key(1), value(2)));
                WriteBatch batch = new WriteBatch();
                for (int i = 0; i < 100; i++) {
                    batch.put(table, key(next - 50 + i), value(-2));
                }
                assertThrows(OverloadedException.class, () -> store.write(batch));
                for (int i = 0; i < 2_000; i++) {
                    table.put(key(KEYS + i), value(i));
                    table.put(key(i), value(-i));
                }
                long now = counted(store);
                assertTrue(now >= limit && now < limit + MORE_BYTES, now + " bytes, and " + limit + " may");
                assertEquals(KEYS, snapshot.count(table, KeyRange.all()));
                for (int i = 0; i < KEYS; i += 7) {
                    assertArrayEquals(value(i), snapshot.get(table, key(i)));
                }
                assertEquals(0, store.verify().total());
            }
            fill(store, table, 5);
            table.optimize((done, total) -> true);
            assertTrue(counted(store) <= MORE_BYTES, "given back: " + counted(store));
            assertArrayEquals(value(KEYS + 4), table.get(key(KEYS - 1)));
        }
    }

    /** New keys replace nothing. So a table that rests after many of them takes no room from others. */
    @ParameterizedTest
    @ValueSource(strings = {"HASH", "CROWDED_HASH"})
    void a_load_of_new_keys_takes_no_room_for_old_places(String engine) {
        try (KVStore store = open(250)) {
            store.createDB("db");
            Table loaded = table(store, "loaded", engine, true);
            Table other = table(store, "other", engine, true);
            other.put(key(1), value(1));
            fill(store, loaded, 0);
            assertTrue(counted(store) <= 2 * 16 * NODE_BYTES, counted(store) + " bytes for no old place");
            try (Snapshot snapshot = store.snapshot()) {
                other.put(key(1), value(2));
                assertArrayEquals(value(1), snapshot.get(other, key(1)));
            }
        }
    }

    /** A writer that waits goes on when the view is closed. */
    @ParameterizedTest
    @ValueSource(strings = {"HASH", "CROWDED_HASH"})
    void writers_wait_for_views_to_be_closed(String engine) {
        try (KVStore store = open(100_000)) {
            store.createDB("db");
            Table table = table(store, "t", engine, false);
            fill(store, table, 0);
            CompletableFuture<Void> writer;
            try (Snapshot snapshot = store.snapshot()) {
                writer = CompletableFuture.runAsync(() -> fill(store, table, 1));
                while (counted(store) < Measures.of(table, "history_limit_bytes") && !writer.isDone()) {
                    Thread.onSpinWait();
                }
                assertArrayEquals(value(1), snapshot.get(table, key(1)));
            }
            writer.join();
            assertArrayEquals(value(KEYS), table.get(key(KEYS - 1)));
        }
    }
}
