package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.ReadView;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations of unusual sizes, records with damaged lengths, and what is kept for views. */
final class HashBoundsTest {

    private static final int SEGMENT_NUMBERS = 1 << 18;
    private static final int KEYS = 200;
    private static final int VALUE_BYTES = 1_000;
    private static final int LENGTH_AT = 4;
    private static final int HEAD_BYTES = 20;
    private static final int ROUNDS = 60;
    private static final int PLACE_BYTES = 48;

    private final SimStorage disk = new SimStorage();

    private KVStore open() {
        return new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(disk));
    }

    private static Table table(KVStore store, boolean log, Durability durability) {
        return table(store, "HASH", log, durability);
    }

    private static Table table(KVStore store, String engine, boolean log, Durability durability) {
        store.createDB("db");
        Properties properties = new Properties();
        properties.put("ENABLE_WAL", log);
        properties.put("DURABILITY", durability.name());
        return store.createTable("db", "t", engine, properties);
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number, int bytes) {
        return ByteBuffer.allocate(bytes).putInt(0, number).array();
    }

    /** Such a batch begins few segments, although there could be as many as changes if each of them were long. */
    @Test
    void a_batch_may_have_more_changes_than_there_are_numbers_of_segments() {
        try (KVStore store = open()) {
            Table table = table(store, false, Durability.BUFFERED);
            WriteBatch puts = new WriteBatch();
            for (int i = 0; i < SEGMENT_NUMBERS + 1; i++) {
                puts.put(table, key(i), key(i));
            }
            store.write(puts);
            assertEquals(SEGMENT_NUMBERS + 1, table.count(KeyRange.all()));
            WriteBatch removals = new WriteBatch();
            for (int i = 0; i < SEGMENT_NUMBERS + 1; i++) {
                removals.remove(table, key(i));
            }
            store.write(removals);
            assertEquals(0, table.count(KeyRange.all()));
            assertNull(table.get(key(7)));
        }
    }

    @Test
    void an_operation_may_be_empty() throws IOException {
        try (EngineHarness table = EngineHarness.create(new HashEngineProvider(), Map.of())) {
            table.put(key(1), key(2));
            EngineHarness.Snap view = table.openSnapshot();
            for (int i = 0; i < 100; i++) {
                table.write(List.of());
            }
            table.check();
            table.check(view);
            table.close(view);
        }
    }

    /** In a table that waits for its log, an absent answer waits for the removal of its key, and for no put of others. */
    @Test
    void an_absent_answer_rests_on_removals_only() throws IOException {
        try (EngineHarness table = EngineHarness.create(new HashEngineProvider(), Map.of())) {
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), key(i));
            }
            assertEquals(List.of(0L, 0L), answersFor(table, key(KEYS)));
            long removed = table.remove(key(7));
            for (int i = 0; i < KEYS; i++) {
                table.put(key(KEYS + i), key(i));
                assertEquals(List.of(removed, removed), answersFor(table, key(7)));
            }
        }
    }

    private static List<Long> answersFor(EngineHarness table, byte[] absent) throws IOException {
        table.barrier().recordAnswers(true);
        assertNull(table.engine().get(absent, ReadView.LATEST));
        assertFalse(table.engine().contains(absent, ReadView.LATEST));
        List<Long> answers = table.barrier().answers();
        table.barrier().recordAnswers(false);
        return answers;
    }

    /** A length that is wrong makes no other value of the segment count as dead, and keeps no later write away. */
    @ParameterizedTest
    @ValueSource(ints = {0, VALUE_BYTES - 1, VALUE_BYTES + 1, 1 << 20, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void a_damaged_length_of_a_value_that_is_replaced_harms_no_other(int length) throws IOException {
        try (KVStore store = open()) {
            Table table = table(store, false, Durability.BUFFERED);
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), value(i, VALUE_BYTES));
            }
            table.flush();
        }
        for (String name : disk.files()) {
            if (name.endsWith(".val")) {
                damage(name, length);
            }
        }
        for (int round = 1; round <= 3; round++) {
            try (KVStore store = open()) {
                Table table = store.table("db", "t");
                table.put(key(0), value(-round, VALUE_BYTES));
                for (int i = 1; i < KEYS; i += 5) {
                    table.put(key(i), value(i, VALUE_BYTES));
                }
                table.flush();
                table.optimize((done, total) -> true);
                for (int i = 1; i < KEYS; i++) {
                    assertArrayEquals(value(i, VALUE_BYTES), table.get(key(i)));
                }
                assertArrayEquals(value(-round, VALUE_BYTES), table.get(key(0)));
                assertTrue(Measures.of(table, "value_live_bytes") >= KEYS * HEAD_BYTES, "each has its head at least");
            }
        }
    }

    /** What was released by a length that is wrong makes a difference in the live bytes, which is named. */
    @ParameterizedTest
    @CsvSource({"HASH, 999", "HASH, 1001", "CROWDED_HASH, 999", "CROWDED_HASH, 1001"})
    void verification_counts_live_bytes_again(String engine, int length) throws IOException {
        try (KVStore store = open()) {
            Table table = table(store, engine, false, Durability.BUFFERED);
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), value(i, VALUE_BYTES));
            }
            table.flush();
            assertEquals(List.of(), store.verify().kept());
        }
        for (String name : disk.files()) {
            if (name.endsWith(".val")) {
                damage(name, length);
            }
        }
        try (KVStore store = open()) {
            Table table = store.table("db", "t");
            assertFalse(namesLiveBytes(store), "the record of key 0 is damaged, so its segment is not counted");
            table.put(key(0), value(0, VALUE_BYTES));
            table.flush();
            assertTrue(namesLiveBytes(store), () -> store.verify().kept().toString());
        }
    }

    private static boolean namesLiveBytes(KVStore store) {
        return store.verify().kept().stream().anyMatch(found -> found.message().contains("as alive, and entries lead"));
    }

    /** Damages the length of the first value, whose key is 0. */
    private void damage(String name, int length) throws IOException {
        byte[] bytes = disk.bytes(name);
        for (int at = 0; at + 24 < bytes.length; at++) {
            int little = Integer.reverseBytes(ByteBuffer.wrap(bytes).getInt(at + LENGTH_AT));
            boolean isFirst = little == VALUE_BYTES && ByteBuffer.wrap(bytes).getInt(at + HEAD_BYTES) == 0;
            if (isFirst) {
                ByteBuffer.wrap(bytes).putInt(at + LENGTH_AT, Integer.reverseBytes(length));
                disk.replace(name, bytes);
                return;
            }
        }
    }

    /** The log has more than may wait for the disk, and nothing may be written. */
    @Test
    void a_store_that_is_open_for_reading_only_replays_a_long_log() {
        int keys = 40_000;
        SimStorage left;
        try (KVStore store = open()) {
            Table table = table(store, true, Durability.BUFFERED);
            for (int i = 0; i < keys; i++) {
                table.put(key(i % (keys / 2)), value(i, VALUE_BYTES));
            }
            left = disk.kill();
        }
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(left).withReadOnly(true);
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            Table table = store.table("db", "t");
            assertEquals(keys / 2, table.count(KeyRange.all()));
            assertArrayEquals(value(keys - 1, VALUE_BYTES), table.get(key(keys / 2 - 1)));
            assertEquals(0, store.verify().total());
        }
    }

    /** Old places are kept while a view may show them, also in a table whose views wait for the log, and not longer. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_history_has_what_views_may_show(boolean log) {
        try (KVStore store = open()) {
            Table table = table(store, log, Durability.SYNC);
            for (int round = 0; round < ROUNDS; round++) {
                try (Snapshot snapshot = store.snapshot()) {
                    long before = table.count(KeyRange.all());
                    WriteBatch batch = new WriteBatch();
                    for (int i = 0; i < KEYS; i++) {
                        batch.put(table, key(i), value(round, 10));
                    }
                    store.write(batch);
                    for (int again = 0; again < 50; again++) {
                        table.put(key(1), value(round, 20));
                    }
                    assertEquals(before, snapshot.count(table, KeyRange.all()));
                    byte[] seen = snapshot.get(table, key(3));
                    assertTrue(round == 0 ? seen == null : ByteBuffer.wrap(seen).getInt() == round - 1);
                }
            }
            double kept = Measures.of(table, "history_bytes") / PLACE_BYTES;
            assertTrue(kept < 5_000, kept + " places of " + ROUNDS + " rounds");
            table.optimize((done, total) -> true);
            assertEquals(0, Measures.of(table, "history_bytes"));
        }
    }
}
