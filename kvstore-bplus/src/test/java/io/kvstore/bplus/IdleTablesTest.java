package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables that rest give their page buffers to those that work, and those that are used keep them. */
final class IdleTablesTest {

    private static final int MEMORY_BYTES = 8 << 20;
    private static final int LARGE_ENTRIES = 4_500;
    private static final int SMALL_ENTRIES = 2_000;
    private static final int TICK_MILLIS = 100;

    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private KVStore store;

    @BeforeEach
    void open() {
        KVStoreOptions options = KVStoreOptions.defaults()
                .withStorage(new SimStorage())
                .withClock(clock)
                .withBackground(background)
                .withMemoryBytes(MEMORY_BYTES);
        store = new KVStore(Path.of("unused"), options);
        store.createDB("db");
    }

    @AfterEach
    void close() {
        assertEquals(0, store.verify().total());
        store.close();
        assertEquals(0, background.failures().size());
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /** A table whose pages are all in the file, and in memory as far as there was room. */
    private Table table(String name, int entries) {
        Properties properties = new Properties();
        properties.put("VALUE_THRESHOLD_BYTES", Integer.MAX_VALUE);
        properties.put("ENABLE_WAL", false);
        Table table = store.createTable("db", name, "BPLUS", properties);
        for (int i = 0; i < entries; i++) {
            table.put(key(i), new byte[1_000]);
        }
        table.flush();
        store.checkpoint();
        background.runAll();
        return table;
    }

    private static void readAll(Table table, int entries) {
        for (int i = 0; i < entries; i++) {
            table.get(key(i));
        }
    }

    /** How many pages were read from the file while all was read. */
    private static double loadsOfReadingAll(Table table, int entries) {
        double before = Measures.of(table, "page_loads");
        readAll(table, entries);
        return Measures.of(table, "page_loads") - before;
    }

    private static double heldBytes(Table table) {
        return Measures.of(table, "resident_units") * PageFile.UNIT_BYTES;
    }

    private void rest(int millis) {
        for (int i = 0; i < millis / TICK_MILLIS; i++) {
            background.tick(TICK_MILLIS);
        }
    }

    @Test
    void a_table_at_rest_gives_its_pages_to_one_that_needs_them_at_its_first_look() {
        Table idle = table("idle", LARGE_ENTRIES);
        readAll(idle, LARGE_ENTRIES);
        rest(1_000);
        double held = heldBytes(idle);
        Table busy = table("busy", SMALL_ENTRIES);
        assertTrue(loadsOfReadingAll(busy, SMALL_ENTRIES) > 0, "the memory is full of the other table's pages");
        assertEquals(held, heldBytes(idle), "nothing goes before anybody looks");
        background.tick(200);
        readAll(busy, SMALL_ENTRIES);
        background.tick(200);
        readAll(busy, SMALL_ENTRIES);
        assertEquals(0, loadsOfReadingAll(busy, SMALL_ENTRIES));
        long used = store.stats().memoryUsedBytes().values().stream()
                .mapToLong(Long::longValue)
                .sum();
        assertTrue(used <= MEMORY_BYTES * 11L / 10, used + " bytes are taken");
    }

    @Test
    void tables_at_rest_give_about_as_much_as_others_lack() {
        List<Table> idle = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            idle.add(table("idle" + i, LARGE_ENTRIES / 3));
        }
        idle.forEach(table -> readAll(table, LARGE_ENTRIES / 3));
        List<Double> before = idle.stream().map(IdleTablesTest::heldBytes).toList();
        Table busy = table("busy", SMALL_ENTRIES);
        for (int i = 0; i < 20; i++) {
            readAll(busy, SMALL_ENTRIES);
            background.tick(200);
        }
        int gave = 0;
        for (int i = 0; i < 3; i++) {
            gave += heldBytes(idle.get(i)) < before.get(i) ? 1 : 0;
        }
        assertTrue(gave == 1 || gave == 2, gave + " tables gave");
        assertEquals(0, loadsOfReadingAll(busy, SMALL_ENTRIES));
    }

    @Test
    void a_table_that_is_used_now_and_then_keeps_its_pages_beside_one_that_never_has_enough() {
        Table light = table("light", SMALL_ENTRIES);
        readAll(light, SMALL_ENTRIES);
        Table heavy = table("heavy", 2 * LARGE_ENTRIES);
        readAll(light, SMALL_ENTRIES);
        readAll(light, SMALL_ENTRIES);
        double loads = 0;
        for (int i = 0; i < 50; i++) {
            assertTrue(loadsOfReadingAll(heavy, 2 * LARGE_ENTRIES) > 0, "it does not fit");
            background.tick(200);
            loads += i % 4 == 0 ? loadsOfReadingAll(light, SMALL_ENTRIES) : 0;
            light.get(key(0));
        }
        assertEquals(0, loads);
    }

    @Test
    void nothing_goes_while_nobody_lacks_memory() {
        Table idle = table("idle", LARGE_ENTRIES);
        readAll(idle, LARGE_ENTRIES);
        double held = heldBytes(idle);
        rest(5_000);
        assertEquals(held, heldBytes(idle));
    }
}
