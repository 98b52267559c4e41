package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.engine.ReadView;
import io.kvstore.memory.UnusedMemory;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a thread read a moment ago has no part in what it reads after pages, tables and stores came and went. */
final class RecentLeavesOfTablesTest {

    private static final int KEYS = 2_000;
    private static final int BUFFER_BYTES = 128 << 10;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number, int version) {
        return ByteBuffer.allocate(200).putInt(number).putInt(version).array();
    }

    private static byte @Nullable [] get(EngineHarness harness, int number) throws IOException {
        return harness.engine().get(key(number), ReadView.LATEST);
    }

    /** Frames of leaves that were evicted get other pages, and pages come back to other frames. */
    @Test
    void a_leaf_that_was_evicted_is_not_read_in_its_old_frame() throws IOException {
        Map<String, Object> given =
                Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", BUFFER_BYTES, "VALUE_THRESHOLD_BYTES", 1_000);
        SplittableRandom random = new SplittableRandom(1);
        int[] versions = new int[KEYS];
        try (EngineHarness harness = EngineHarness.create(new BPlusEngineProvider(), given)) {
            for (int i = 0; i < KEYS; i++) {
                harness.put(key(i), value(i, 0));
            }
            harness.engine().checkpoint();
            for (int round = 1; round <= 200; round++) {
                int asked = random.nextInt(KEYS);
                assertArrayEquals(value(asked, versions[asked]), get(harness, asked));
                assertArrayEquals(value(asked, versions[asked]), get(harness, asked));
                int step = KEYS / (1 + random.nextInt(60)); // some frames have their old bytes until they are needed
                for (int i = 0; i < KEYS; i += step) { // each of these leaves is read once, and none is remembered
                    assertArrayEquals(value(i, versions[i]), get(harness, i));
                }
                versions[asked] = round;
                harness.put(key(asked), value(asked, round));
                harness.engine().checkpoint(); // the change is in the tree now
                assertArrayEquals(value(asked, round), get(harness, asked), "round " + round);
            }
            assertTrue(Measures.of(harness.engine().stats(), "page_evictions") > 500);
        }
    }

    /** The memory of a table that rests goes back to the machine, and with it the frame of the leaf. */
    @Test
    void a_leaf_whose_memory_went_to_others_is_read_from_the_file() throws IOException {
        Map<String, Object> given = Map.of("VALUE_THRESHOLD_BYTES", 1_000);
        try (EngineHarness harness = EngineHarness.create(new BPlusEngineProvider(), given)) {
            for (int i = 0; i < KEYS; i++) {
                harness.put(key(i), value(i, 0));
            }
            harness.engine().checkpoint();
            int gone = 0;
            for (int asked = 0; asked < KEYS; asked += 100) {
                get(harness, asked);
                get(harness, asked);
                double before = Measures.of(harness.engine().stats(), "page_loads");
                for (UnusedMemory one : harness.memory().unused()) {
                    one.giveBackAny(Long.MAX_VALUE).free().run();
                }
                assertArrayEquals(value(asked, 0), get(harness, asked));
                gone += Measures.of(harness.engine().stats(), "page_loads") > before ? 1 : 0;
            }
            assertTrue(gone > 0, "no leaf went");
        }
    }

    @Test
    void tables_that_were_truncated_dropped_and_opened_again_have_what_they_have() {
        SimStorage disk = new SimStorage();
        Path path = Path.of("unused");
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(disk).withMemoryBytes(16 << 20);
        try (KVStore store = new KVStore(path, options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "BPLUS");
            fill(table, 1);
            remember(table, 1);
            table.truncate();
            assertNull(table.get(key(8)));
            fill(table, 2);
            remember(table, 2);
            store.dropTable("db", "t");
            Table next = store.createTable("db", "t", "BPLUS");
            assertNull(next.get(key(8)));
            fill(next, 3);
            remember(next, 3);
        }
        try (KVStore store = new KVStore(path, options)) {
            Table table = store.table("db", "t");
            assertNotNull(table);
            remember(table, 3);
            table.put(key(8), value(8, 4));
            table.flush();
            assertArrayEquals(value(8, 4), table.get(key(8)));
            assertEquals(0, store.verify().total());
        }
    }

    private static void fill(Table table, int version) {
        for (int i = 0; i < KEYS; i++) {
            table.put(key(i), value(i, version));
        }
        table.flush();
    }

    private static void remember(Table table, int version) {
        for (int times = 0; times < 3; times++) {
            assertArrayEquals(value(8, version), table.get(key(8)));
        }
    }
}
