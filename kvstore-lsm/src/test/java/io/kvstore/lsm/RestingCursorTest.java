package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.Seeds;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cursor that nobody uses holds nothing that was flushed or compacted, and goes on where it was. */
final class RestingCursorTest {

    private static final int KEYS = 200;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static void change(EngineHarness table, SplittableRandom random, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            byte[] key = key(random.nextInt(KEYS));
            if (random.nextInt(3) == 0) {
                table.remove(key);
            } else {
                table.put(key, new byte[random.nextInt(random.nextInt(4) == 0 ? 3_000 : 60)]);
            }
        }
    }

    /** Whatever is written, flushed and compacted between two steps, it shows its moment, forward and in reverse. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void it_goes_on_where_it_was(boolean reversed, boolean valuesLate) {
        Seeds.each(1, 3, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            Map<String, ?> small = Map.of("MEM_CACHE_SIZE", 65_536, "VALUE_THRESHOLD_BYTES", 1_000);
            try (EngineHarness table = EngineHarness.create(new LsmEngineProvider(), small)) {
                for (int round = 0; round < 4; round++) {
                    change(table, random, 400);
                    EngineHarness.Snap snapshot = table.openSnapshot();
                    walk(table, random, snapshot, reversed, valuesLate);
                    table.close(snapshot);
                }
            }
        });
    }

    private static void walk(
            EngineHarness table,
            SplittableRandom random,
            EngineHarness.Snap snapshot,
            boolean reversed,
            boolean valuesLate)
            throws IOException {
        KeyRange range = reversed ? KeyRange.all().reverse() : KeyRange.all();
        List<Entry> expected = table.scan(range);
        try (EngineCursor cursor = table.engine().scan(range, snapshot.view())) {
            for (Entry entry : expected) {
                assertTrue(cursor.next(), "it ends early");
                if (!valuesLate) {
                    assertArrayEquals(entry.value(), cursor.value());
                }
                cursor.rest();
                changeAndFlush(table, random);
                assertArrayEquals(entry.key(), cursor.key());
                assertArrayEquals(entry.value(), cursor.value());
            }
            cursor.rest();
            table.engine().flush();
            assertFalse(cursor.next(), "it has more");
            cursor.rest();
        }
    }

    private static void changeAndFlush(EngineHarness table, SplittableRandom random) throws IOException {
        if (random.nextInt(6) == 0) {
            change(table, random, 50);
        }
        switch (random.nextInt(12)) {
            case 0 -> table.engine().flush();
            case 1 -> table.engine().optimize((done, total) -> true);
            default -> {
                // only written to
            }
        }
    }

    /** Five of them, none of which is moved again. */
    @Test
    void it_holds_no_memory_and_no_files() throws IOException {
        SimStorage disk = new SimStorage();
        try (EngineHarness table = EngineHarness.create(new LsmEngineProvider(), Map.of(), disk)) {
            List<EngineCursor> cursors = new ArrayList<>();
            List<EngineHarness.Snap> snapshots = new ArrayList<>();
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < KEYS; i++) {
                    table.put(key(i), new byte[1_000]);
                }
                snapshots.add(table.openSnapshot());
                EngineCursor cursor =
                        table.engine().scan(KeyRange.all(), snapshots.getLast().view());
                assertTrue(cursor.next());
                cursor.rest();
                cursors.add(cursor);
            }
            snapshots.forEach(table::close); // what they see may go, but not what their cursors hold
            table.engine().optimize((done, total) -> true);
            table.background().runAll();
            long usedBytes = table.memory().usedBytes();
            int files = disk.list(EngineHarness.DIRECTORY).size();
            long open = disk.openResources();
            cursors.forEach(EngineCursor::close);
            assertEquals(files, disk.list(EngineHarness.DIRECTORY).size());
            assertEquals(open, disk.openResources());
            assertEquals(usedBytes, table.memory().usedBytes());
        }
    }

    private static long memTableBytes(KVStore store) {
        return store.stats().memoryUsedBytes().getOrDefault(MemoryBudget.Use.MEMTABLE, 0L);
    }

    /** The store says when one rests: before the first step and after each one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cursors_of_a_store_rest(boolean isMoved) {
        try (KVStore store = new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults().withStorage(new SimStorage()).withWalSegmentBytes(64 << 10))) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "LSM");
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), new byte[1_000]);
            }
            try (Cursor cursor = table.scan(KeyRange.all())) {
                int count = isMoved && cursor.next() ? 1 : 0;
                long before = memTableBytes(store);
                table.flush();
                for (int i = 0; i < 100 && memTableBytes(store) > before / 2; i++) {
                    table.put(key(0), new byte[1]);
                    table.flush(); // what was replaced goes when no reader is inside, and that is looked at now and
                    // then
                }
                assertTrue(memTableBytes(store) <= before / 2, "of " + before + " bytes too many are still taken");
                assertTrue(!isMoved || cursor.value().length == 1_000);
                while (cursor.next()) {
                    assertEquals(1_000, cursor.value().length);
                    count++;
                }
                assertEquals(KEYS, count);
            }
            assertNull(store.failure());
        }
    }
}
