package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.data.KeyRange;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a table says of itself. */
final class BPlusStatsTest {

    private static final int KEYS = 2_000;
    private static final int PAGES = 8;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static KVStoreOptions options(StepClock clock, StepBackground background) {
        return KVStoreOptions.defaults()
                .withStorage(new SimStorage())
                .withClock(clock)
                .withBackground(background);
    }

    @Test
    void tells_of_pages_and_checkpoints() {
        StepClock clock = new StepClock();
        KVStoreOptions options = options(clock, new StepBackground(clock));
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_ORDER, 20);
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, PAGES * PageFile.UNIT_BYTES);
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "BPLUS", properties);
            assertEquals(0, Measures.of(table, "height_levels"));
            assertEquals(0, Measures.of(table, "leaf_fill_ratio"));
            assertEquals(1, Measures.of(table, "page_hit_ratio"));
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), new byte[100]);
            }
            clock.advance(3_000);
            assertTrue(Measures.of(table, "checkpoint_age_millis") >= 3_000, "since the opening");
            assertTrue(Measures.of(table, "waiting_changes") > 0);
            store.checkpoint();
            assertEquals(0, Measures.of(table, "waiting_changes"));
            assertEquals(0, Measures.of(table, "checkpoint_age_millis"));
            assertEquals(0, Measures.of(table, "checkpoint_millis"), "no time goes by");
            clock.advance(1_234);
            assertEquals(1_234, Measures.of(table, "checkpoint_age_millis"));
            assertEquals(KEYS, table.count(KeyRange.all()));
            assertTrue(Measures.of(table, "height_levels") > 2);
            double fill = Measures.of(table, "leaf_fill_ratio");
            assertTrue(fill > 0.2 && fill < 1, "leaves have " + fill);
            for (int i = 0; i < KEYS; i++) {
                table.get(key(i * 7 % KEYS));
            }
            double hits = Measures.of(table, "page_hit_ratio");
            assertTrue(hits > 0.1 && hits < 0.95, "of the pages " + hits + " were in memory");
        }
    }

    /** Most of these reads go to the leaf of the read before, and not from the root. */
    @Test
    void reads_of_neighbours_find_pages_in_memory() {
        StepClock clock = new StepClock();
        KVStoreOptions options = options(clock, new StepBackground(clock));
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "BPLUS");
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), new byte[10]);
            }
        }
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            Table table = store.table("db", "t");
            for (int i = 0; i < 10 * KEYS; i++) {
                table.get(key(i % KEYS));
            }
            double hits = Measures.of(table, "page_hit_ratio");
            assertTrue(hits > 0.9 && hits < 1, "of the pages " + hits + " were in memory");
        }
    }

    /** Removals are merged when nobody writes any more; what died of them is given back without another write. */
    @Test
    void space_of_removed_values_comes_back_when_writers_rest() {
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        KVStoreOptions options = options(clock, background);
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, 1 << 20);
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "BPLUS", properties);
            for (int i = 0; i < 8_000; i++) {
                table.put(key(i), new byte[1_000]);
            }
            background.runAll();
            store.checkpoint();
            for (int i = 0; i < 8_000; i += i % 10 == 8 ? 2 : 1) {
                table.remove(key(i));
            }
            background.runAll();
            assertEquals(0, Measures.of(table, "waiting_changes"), "they are merged");
            double live = Measures.of(table, "value_live_bytes");
            double dead = Measures.of(table, "value_dead_bytes");
            assertTrue(dead < live / 2 + (1 << 20), dead + " bytes are dead beside " + live);
            assertEquals(800, table.count(KeyRange.all()));
            assertEquals(0, store.verify().total());
        }
    }

    /** Keys in no order leave leaves two thirds full where there is room for more pages, and fuller ones where there is not. */
    @Test
    void leaves_are_fuller_where_memory_is_short() {
        double roomy = fillInNoOrder(64 << 20);
        assertTrue(roomy > 0.6, "leaves have " + roomy);
        double tight = fillInNoOrder(2 << 20);
        assertTrue(tight > roomy + 0.05, "leaves have " + tight + ", and " + roomy);
    }

    private static double fillInNoOrder(long bufferBytes) {
        StepClock clock = new StepClock();
        KVStoreOptions options = options(clock, new StepBackground(clock));
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, bufferBytes);
        SplittableRandom random = new SplittableRandom(7);
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "BPLUS", properties);
            for (int i = 0; i < 40_000; i++) {
                table.put(key(random.nextInt()), new byte[random.nextInt(60)]);
                if (i % 2_000 == 0) {
                    store.checkpoint(); // so that what waits gets into the tree, few of each leaf at a time
                }
            }
            store.checkpoint();
            assertEquals(0, store.verify().total());
            for (int i = 0; i < 40_000; i += 7) {
                table.get(key(random.nextInt()));
            }
            return Measures.of(table, "leaf_fill_ratio");
        }
    }
}
