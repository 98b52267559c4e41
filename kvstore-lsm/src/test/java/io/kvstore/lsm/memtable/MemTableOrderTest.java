package io.kvstore.lsm.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.lsm.LsmConfParamsEnum;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Values that a memtable points to get into the order of their keys, where scans are worth it, with nothing written since. */
final class MemTableOrderTest {

    private static final int MEM_TABLE_BYTES = 16 << 20;
    private static final int VALUE_BYTES = 300;

    /** They take more than what is left alone, and far less than what fills a memtable. */
    private static final int ENOUGH = 4_999;

    private static final int MANY = 39_989;

    private static final int TOO_FEW = 2_003;

    /** No divisor of a number of entries: so keys are put far from their neighbours. */
    private static final int STRIDE = 1_009;

    /** The golden section of many: neighbours among some of them are put far from each other, too. */
    private static final int GOLDEN = 24_714;

    private final SimStorage disk = new SimStorage();
    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final KVStore store = new KVStore(
            Path.of("unused"),
            KVStoreOptions.defaults().withStorage(disk).withClock(clock).withBackground(background));

    @AfterEach
    void close() {
        store.close();
    }

    private Table load(int entries) {
        return load(entries, MEM_TABLE_BYTES);
    }

    private Table load(int entries, int memTableBytes) {
        store.createDB("db");
        Properties properties = new Properties();
        properties.put(LsmConfParamsEnum.MEM_CACHE_SIZE, memTableBytes);
        Table table = store.createTable("db", "t", "LSM", properties);
        for (int i = 0; i < entries; i++) {
            put(table, (int) ((long) i * STRIDE % entries));
        }
        background.runAll();
        return table;
    }

    private static void put(Table table, int number) {
        table.put(key(number), ByteBuffer.allocate(VALUE_BYTES).putInt(number).array());
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private void scan(Table table, int entries) {
        int number = 0;
        try (Cursor cursor = table.scan(KeyRange.all())) {
            while (cursor.next()) {
                assertEquals(number, ByteBuffer.wrap(cursor.key()).getInt());
                assertEquals(number, ByteBuffer.wrap(cursor.value()).getInt());
                number++;
            }
        }
        assertEquals(entries, number);
        background.runAll();
    }

    @Test
    void scans_that_wait_for_each_value_have_the_memtable_flushed_and_its_values_put_in_order() {
        Table table = load(ENOUGH);
        scan(table, ENOUGH);
        assertEquals(0, Measures.of(table, "flushes"), "too early: nobody waited once for each value yet");
        scan(table, ENOUGH);
        assertEquals(1, Measures.of(table, "flushes"));
        scan(table, ENOUGH);
        scan(table, ENOUGH);
        double scattered = scattered(table);
        assertTrue(scattered < ENOUGH / 50.0, scattered + " values are not near the one before");
        assertEquals(1, Measures.of(table, "flushes"));
        assertEquals(0, table.verify().total());
    }

    @Test
    void a_small_part_is_put_in_order_when_scans_have_waited_for_it_often_enough() {
        Table table = load(ENOUGH);
        table.optimize((done, total) -> true);
        for (int i = 0; i < ENOUGH / 10; i++) {
            put(table, (int) ((long) i * STRIDE % ENOUGH));
        }
        table.flush();
        scan(table, ENOUGH);
        assertTrue(scattered(table) > ENOUGH / 20.0, "new values are in order by themselves");
        for (int i = 0; i < 12; i++) {
            scan(table, ENOUGH);
        }
        double scattered = scattered(table);
        assertTrue(scattered < ENOUGH / 50.0, scattered + " values are not near the one before");
    }

    /** How many values a scan reads that are not near the one before. */
    private double scattered(Table table) {
        double before = Measures.of(table, "value_scattered_reads");
        scan(table, ENOUGH);
        return Measures.of(table, "value_scattered_reads") - before;
    }

    @Test
    void a_flush_that_fails_is_not_tried_again_for_each_scan() throws IOException {
        Table table = load(ENOUGH);
        long usedBytes = 0;
        for (String file : disk.files()) {
            usedBytes += disk.bytes(file).length;
        }
        disk.setCapacity(usedBytes);
        for (int i = 0; i < 6; i++) {
            scan(table, ENOUGH);
        }
        assertEquals(0, Measures.of(table, "flushes"));
        double failed = Measures.of(table, "failed_jobs");
        assertTrue(failed == 1 || failed == 2, failed + " tries");
        disk.setCapacity(Long.MAX_VALUE);
        for (int i = 0; i < 6; i++) {
            scan(table, ENOUGH);
        }
        assertEquals(0, Measures.of(table, "flushes"), "the minute is not over");
        clock.advance(60_000);
        scan(table, ENOUGH);
        scan(table, ENOUGH);
        assertEquals(1, Measures.of(table, "flushes"));
    }

    @Test
    void beside_a_large_table_scans_must_have_waited_more_often() {
        Table table = load(MANY);
        table.optimize((done, total) -> true);
        double before = Measures.of(table, "flushes");
        putEnough(table);
        scan(table, MANY);
        scan(table, MANY);
        assertEquals(
                before, Measures.of(table, "flushes"), "a compaction of all is dearer than what two scans waited for");
        scan(table, MANY);
        assertEquals(before + 1, Measures.of(table, "flushes"));
    }

    private static void putEnough(Table table) {
        for (int i = 0; i < ENOUGH; i++) {
            put(table, (int) ((long) i * GOLDEN % MANY));
        }
    }

    @Test
    void but_not_for_the_values_of_a_large_memtable() {
        Table table = load(MANY, 1 << 20);
        table.optimize((done, total) -> true);
        double before = Measures.of(table, "flushes");
        putEnough(table);
        scan(table, MANY);
        assertEquals(before, Measures.of(table, "flushes"));
        scan(table, MANY);
        assertEquals(before + 1, Measures.of(table, "flushes"));
    }

    @Test
    void a_memtable_is_flushed_for_scans_every_ten_seconds_at_most() {
        Table table = load(MANY, 1 << 20);
        table.optimize((done, total) -> true);
        double before = Measures.of(table, "flushes");
        for (int i = 0; i < 2; i++) {
            putEnough(table);
            scan(table, MANY);
            scan(table, MANY);
            scan(table, MANY);
        }
        assertEquals(before + 1, Measures.of(table, "flushes"));
        clock.advance(9_999);
        scan(table, MANY);
        assertEquals(before + 1, Measures.of(table, "flushes"));
        clock.advance(1);
        scan(table, MANY);
        assertEquals(before + 2, Measures.of(table, "flushes"));
    }

    @Test
    void a_small_memtable_is_left_alone() {
        Table table = load(TOO_FEW);
        for (int i = 0; i < 10; i++) {
            scan(table, TOO_FEW);
        }
        assertEquals(0, Measures.of(table, "flushes"));
    }
}
