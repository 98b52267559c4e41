package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Values of a table that was loaded in random order get into the order of their keys. An engine of it has the measure {@code
 * value_scattered_reads}.
 */
public abstract class ClusteringContract {

    private static final int KEYS = 8_000;
    private static final int VALUE_BYTES = 300;

    /** After so many it is in order again, though some only find that old values keep the room that is needed for it. */
    private static final int MANY_SCANS = 20;

    private final SimStorage disk = new SimStorage();
    private final StepClock clock = new StepClock();
    private final int[] versions = new int[KEYS];
    private StepBackground background = new StepBackground(clock);
    private KVStore store;
    private Table table;

    /** The engine's name. */
    protected abstract String engine();

    /** Of a table with little memory. */
    protected abstract Properties properties();

    /** The bytes of values that nothing points to. */
    protected abstract double deadBytes();

    /** The bytes of values that only an older state has. */
    protected abstract double pinnedBytes();

    /** What may be dead and pinned together. */
    protected abstract double allowedBytes(double liveBytes);

    @BeforeEach
    void load() {
        store = new KVStore(Path.of("unused"), options());
        store.createDB("db");
        table = store.createTable("db", "t", engine(), properties());
        SplittableRandom random = new SplittableRandom(1);
        int[] order = new int[KEYS];
        Arrays.setAll(order, i -> i);
        for (int i = KEYS - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int number = order[i];
            order[i] = order[other];
            order[other] = number;
        }
        for (int number : order) {
            table.put(key(number), value(number, 0));
        }
        table.flush();
    }

    private KVStoreOptions options() {
        return KVStoreOptions.defaults().withStorage(disk).withClock(clock).withBackground(background);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number, int version) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) (number + version));
        ByteBuffer.wrap(value).putInt(number).putInt(version);
        return value;
    }

    /** A measure of the table. */
    protected final double measure(String name) {
        return Measures.of(table, name);
    }

    /** Reads everything, and says how many of the values were not near the one before. */
    private double scan(boolean reversed) {
        double before = measure("value_scattered_reads");
        int number = 0;
        KeyRange all = KeyRange.all();
        try (Cursor cursor = table.scan(reversed ? all.reverse() : all)) {
            while (cursor.next()) {
                int expected = reversed ? KEYS - 1 - number : number;
                assertArrayEquals(key(expected), cursor.key());
                Arrays.fill(cursor.key(), (byte) -1); // it is the caller's
                assertArrayEquals(value(expected, versions[expected]), cursor.value());
                number++;
            }
        }
        assertEquals(KEYS, number);
        return measure("value_scattered_reads") - before;
    }

    @Test
    void a_visitor_gets_values_in_order_and_nothing_of_what_is_around_them() {
        visitAll(false);
        table.optimize((done, total) -> true);
        visitAll(false);
        visitAll(true);
    }

    private void visitAll(boolean reversed) {
        int[] number = new int[1];
        KeyRange all = KeyRange.all();
        try (Cursor cursor = table.scan(reversed ? all.reverse() : all)) {
            cursor.visit((key, value) -> {
                int expected = reversed ? KEYS - 1 - number[0] : number[0];
                assertArrayEquals(key(expected), key);
                assertEquals(ByteBuffer.wrap(value(expected, versions[expected])), value);
                assertEquals(VALUE_BYTES, value.capacity());
                number[0]++;
                return true;
            });
        }
        assertEquals(KEYS, number[0]);
    }

    private void assertBounded() {
        double live = measure("value_live_bytes");
        double dead = deadBytes() + pinnedBytes();
        assertTrue(dead < allowedBytes(live), dead + " bytes beside " + live + " that are alive");
    }

    @Test
    void optimize_puts_values_in_order() {
        double before = scan(false);
        assertTrue(before > KEYS * 0.8, "only " + before + " values were not near the one before");
        table.optimize((done, total) -> true);
        double after = scan(false);
        assertTrue(after < KEYS / 50.0, after + " values are not near the one before");
        double backwards = scan(true);
        assertTrue(backwards < KEYS / 50.0, backwards + " values are not near the one behind");
        assertBounded();
        assertEquals(0, table.verify().total());
    }

    @Test
    void optimize_that_was_stopped_does_not_go_on_by_itself() {
        table.optimize((done, total) -> false);
        background.runAll();
        double scattered = scan(false);
        assertTrue(scattered > KEYS * 0.8, "only " + scattered + " values are not near the one before");
    }

    @Test
    void a_snapshot_keeps_no_more_than_a_run_of_old_values() {
        try (Snapshot old = store.snapshot()) {
            versions[7]++;
            table.put(key(7), value(7, versions[7])); // so that the newest state is not that of the snapshot
            for (int i = 0; i < 10; i++) {
                scan(false);
                background.runAll();
                assertTrue(pinnedBytes() < 0.85 * measure("value_live_bytes"), "all is there twice");
            }
            assertArrayEquals(value(7, 0), old.get(table, key(7)));
        }
        table.optimize((done, total) -> true);
        assertTrue(scan(false) < KEYS / 50.0, "it goes on when the snapshot is closed");
        assertBounded();
    }

    @Test
    void scans_put_values_in_order_and_new_ones_again() {
        scan(false);
        background.runAll();
        assertTrue(scan(false) > KEYS * 0.8, "too early: nobody waited for memory once for each value yet");
        scan(false);
        background.runAll();
        assertTrue(scan(false) < KEYS / 50.0, "scans were not worth it");
        assertBounded();
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < KEYS; i++) {
            int number = random.nextInt(KEYS);
            versions[number]++;
            table.put(key(number), value(number, versions[number]));
            background.runAll();
            assertBounded();
        }
        assertTrue(scan(false) > KEYS * 0.3, "new values are in order by themselves");
        for (int i = 0; i < MANY_SCANS && scan(false) > KEYS / 50.0; i++) {
            background.runAll();
        }
        assertTrue(scan(false) < KEYS / 25.0, "values were not put in order again");
        assertBounded();
        store.close();
        background = new StepBackground(clock);
        store = new KVStore(Path.of("unused"), options());
        table = store.table("db", "t");
        scan(false);
        assertEquals(0, table.verify().total());
    }
}
