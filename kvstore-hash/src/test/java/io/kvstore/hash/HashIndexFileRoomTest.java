package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.KeyRange;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk that has no room for an index file: not for one with images, or for none at all. */
final class HashIndexFileRoomTest {

    private static final int KEYS = 10_000;
    private static final int BATCH = 20_000;
    private static final int CHANGE_BYTES = 20;
    private static final int MOST_CHANGES = (32 << 20) / CHANGE_BYTES;

    private final SimStorage disk = new SimStorage();

    /** Which calls, by their name and path, find no room. */
    private final AtomicReference<BiPredicate<String, String>> full = new AtomicReference<>((name, path) -> false);

    private KVStore open() {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStallTimeoutMillis(1_000)
                        .withStorage(HookedStorage.over(disk, (name, path, proceed) -> {
                            if (full.get().test(name, path)) {
                                throw new NoSpaceException("no room here");
                            }
                            return proceed.call();
                        })));
    }

    private static Table table(KVStore store) {
        store.createDB("db");
        Properties unlogged = new Properties();
        unlogged.put("ENABLE_WAL", false);
        return store.createTable("db", "t", "HASH", unlogged);
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static void put(KVStore store, Table table, int from, int to, int value) {
        WriteBatch batch = new WriteBatch();
        for (int i = from; i < to; i++) {
            batch.put(table, key(i), key(i + value));
        }
        store.write(batch);
    }

    /** The changes are written behind those before them, which takes less room. */
    @ParameterizedTest
    @ValueSource(strings = {"create", "write", "rename"})
    void a_checkpoint_whose_images_have_no_room_writes_changes(String call) {
        try (KVStore store = open()) {
            Table table = table(store);
            for (int round = 0; round < 3; round++) {
                put(store, table, 0, KEYS, round);
                full.set((name, path) -> name.equals(call) && path.contains("idx") && !path.endsWith(".idx"));
                table.flush();
            }
            assertEquals(0, Measures.of(table, "index_images"));
            assertEquals(0, Measures.of(table, "changes_bytes"));
        }
        try (KVStore store = open()) {
            Table table = store.table("db", "t");
            assertEquals(KEYS, table.count(KeyRange.all()));
            for (int i = 0; i < KEYS; i++) {
                assertArrayEquals(key(i + 2), table.get(key(i)));
            }
            full.set((name, path) -> false);
            put(store, table, 0, KEYS, 3);
            table.flush();
            assertEquals(1, Measures.of(table, "index_images"));
            assertEquals(0, store.verify().total());
        }
    }

    /** They wait on the heap, so not any number of them may. */
    @Test
    void writers_wait_for_changes_that_no_checkpoint_takes() {
        try (KVStore store = open()) {
            Table table = table(store);
            full.set((name, path) -> name.startsWith("write") && path.contains(".idx"));
            int at = 0;
            OverloadedException refused = null;
            while (refused == null && at < 2 * MOST_CHANGES) {
                try {
                    put(store, table, at, at + BATCH, 0);
                    at += BATCH;
                } catch (OverloadedException e) {
                    refused = e;
                }
            }
            String message = refused == null ? "none was refused" : String.valueOf(refused.getMessage());
            assertTrue(message.contains("bytes of changes wait for the index file"), message);
            assertTrue(at > MOST_CHANGES && at <= MOST_CHANGES + BATCH, at + " changes");
            assertThrows(OverloadedException.class, () -> table.remove(key(1)));
            assertArrayEquals(key(at - 1), table.get(key(at - 1)));
            full.set((name, path) -> false);
            table.flush();
            put(store, table, at, at + 1, 0);
            assertEquals(at + 1, table.count(KeyRange.all()));
        }
    }
}
