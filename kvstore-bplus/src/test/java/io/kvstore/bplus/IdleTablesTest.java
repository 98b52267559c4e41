package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.engine.EngineStats;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tables that rest give their page buffers to those that work. */
final class IdleTablesTest {

    private static final int MEMORY_BYTES = 8 << 20;
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int IDLE_KEYS = 40_000;
    private static final int KEYS = 12_000;

    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final KVStore store = new KVStore(
            Path.of("unused"),
            KVStoreOptions.defaults()
                    .withStorage(new SimStorage())
                    .withClock(clock)
                    .withBackground(background)
                    .withMemoryBytes(MEMORY_BYTES));

    @AfterEach
    void close() {
        store.close();
    }

    private Table filled(String name, int keys) {
        if (store.databases().isEmpty()) {
            store.createDB("db");
        }
        Properties properties = new Properties();
        properties.put("BTREE_PAGE_BUFFER_SIZE_BYTES", BUFFER_BYTES);
        properties.put("ENABLE_WAL", false);
        Table table = store.createTable("db", name, "BPLUS", properties);
        for (int i = 0; i < keys; i++) {
            table.put(key(i), new byte[100]);
            if (i % 2_000 == 0) {
                background.tick(300);
            }
        }
        table.flush();
        return table;
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(12)
                .putInt(number * 0x9E3779B1)
                .putLong(number)
                .array();
    }

    private static long figure(Table table, String name) {
        EngineStats stats = Objects.requireNonNull(table.stats().engine());
        return (long) stats.measures().stream()
                .filter(measure -> measure.name().equals(name))
                .findFirst()
                .orElseThrow()
                .value();
    }

    private static void getAll(Table table, int keys) {
        for (int i = 0; i < keys; i++) {
            assertNotNull(table.get(key(i)));
        }
    }

    @Test
    void a_table_that_works_gets_what_resting_ones_do_not_use() {
        Table first = filled("first", IDLE_KEYS);
        Table second = filled("second", IDLE_KEYS);
        long idleUnits = figure(first, "resident_units") + figure(second, "resident_units");
        store.checkpoint();
        Table busy = filled("busy", KEYS);
        for (int round = 0; round < 3; round++) {
            getAll(busy, KEYS);
            background.tick(1_100);
        }
        long before = figure(busy, "page_loads");
        getAll(busy, KEYS);
        assertTrue(figure(busy, "page_loads") - before < KEYS / 100, "the working table has too little memory");
        long left = figure(first, "resident_units") + figure(second, "resident_units");
        assertTrue(left < idleUnits * 9 / 10, left + " of " + idleUnits + " units stay with who does not use them");
        long used = store.stats().memoryUsedBytes().entrySet().stream()
                .filter(use -> !use.getKey().isOnHeap())
                .mapToLong(Map.Entry::getValue)
                .sum();
        assertTrue(used <= MEMORY_BYTES * 11L / 10, used + " bytes are taken");
        assertEquals(0, store.verify().total());
    }
}
