package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import org.junit.jupiter.api.Test;

/** The way to a leaf has more pages than the buffer: whoever needs all of them at a time has them, and comes to an end. */
final class HighTreeTest {

    private static final int KEYS = 4_000;
    private static final int LEAST_ORDER = 3;
    private static final int PAGES = 8;

    private final StepClock clock = new StepClock();
    private SimStorage disk = new SimStorage();
    private StepBackground background = new StepBackground(clock);

    private KVStore open() {
        background = new StepBackground(clock);
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults().withStorage(disk).withClock(clock).withBackground(background));
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /** Puts keys in order, so that pages are half full. */
    private Table fill(KVStore store) {
        store.createDB("db");
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_ORDER, LEAST_ORDER);
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, PAGES * PageFile.UNIT_BYTES);
        properties.put("VALUE_THRESHOLD_BYTES", 0);
        Table table = store.createTable("db", "t", "BPLUS", properties);
        for (int i = 0; i < KEYS; i++) {
            table.put(key(i), key(i));
        }
        assertEquals(KEYS, table.count(KeyRange.all()), "counted in the tree, where nothing waits then");
        assertTrue(Measures.of(table, "height_levels") > PAGES, "it is not high");
        return table;
    }

    private static void assertWhole(KVStore store, Table table) {
        assertEquals(KEYS, table.count(KeyRange.all()));
        for (int i = 0; i < KEYS; i++) {
            assertArrayEquals(key(i), table.get(key(i)));
        }
        assertEquals(0, store.verify().total());
    }

    @Test
    void the_hash_index_is_filled() {
        try (KVStore store = open()) {
            fill(store);
        }
        try (KVStore store = open()) {
            Table table = store.table("db", "t");
            table.put(key(0), key(0));
            background.runAll();
            assertEquals(0, Measures.of(table, "hash_index_bytes"), "nobody got anything");
            for (int i = 0; i < KEYS + 64; i++) { // looked at now and then only
                assertArrayEquals(key(i % KEYS), table.get(key(i % KEYS)));
            }
            background.runAll();
            double bytes = Measures.of(table, "hash_index_bytes");
            double entries = Measures.of(table, "hash_index_entries");
            assertTrue(bytes > 0 && entries > 0.9 * bytes / Long.BYTES, entries + " entries in " + bytes + " bytes");
            assertWhole(store, table);
        }
    }

    @Test
    void values_are_put_in_order_and_moved() {
        try (KVStore store = open()) {
            Table table = fill(store);
            for (int i = 0; i < KEYS; i += 2) {
                table.put(key(i), key(i));
            }
            double dead = Measures.of(table, "value_dead_bytes");
            table.optimize((done, total) -> true);
            double after = Measures.of(table, "value_dead_bytes");
            assertTrue(after < dead / 10, after + " of " + dead + " dead bytes are still there");
            assertWhole(store, table);
        }
    }

    @Test
    void a_log_is_replayed() {
        KVStore store = open();
        fill(store);
        SimStorage left = disk.kill();
        store.close();
        disk = left;
        try (KVStore again = open()) {
            assertWhole(again, again.table("db", "t"));
        }
    }
}
