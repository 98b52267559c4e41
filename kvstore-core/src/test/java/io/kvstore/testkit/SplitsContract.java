package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.InvalidRequestException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of a range are that range, whatever a table has and wherever its entries are. */
public abstract class SplitsContract {

    private static final int KEYS = 6_000;
    private static final int MOST_PARTS = 1_024;

    protected abstract TableEngineProvider provider();

    /** Properties with which a table of some thousand entries has many pages or blocks. */
    protected abstract Properties small();

    /** Whether the engine knows keys at which a table in files can be divided. */
    protected boolean divides() {
        return true;
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(8).putInt(number / 10).putInt(number % 10).array();
    }

    private static KVStore open() {
        return new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(new SimStorage()));
    }

    private Table table(KVStore store) {
        store.createDB("db");
        return store.createTable("db", "t", provider().name(), small());
    }

    /** A key, and how long its value is. */
    private record Found(Bytes key, int valueBytes) {}

    private static List<Found> entries(Snapshot snapshot, Table table, KeyRange range) {
        List<Found> found = new ArrayList<>();
        try (Cursor cursor = snapshot.scan(table, range)) {
            while (cursor.next()) {
                found.add(new Found(new Bytes(cursor.key()), cursor.value().length));
            }
        }
        return found;
    }

    /** Returns the parts, after a look at them and at what they have. */
    private static List<KeyRange> check(KVStore store, Table table, KeyRange range, int parts) {
        List<KeyRange> split = table.split(range, parts);
        assertTrue(!split.isEmpty() && split.size() <= parts, () -> split.size() + " of " + parts);
        List<KeyRange> ascending = range.reversed() ? split.reversed() : split;
        KeyRange first = ascending.getFirst();
        KeyRange last = ascending.getLast();
        assertArrayEquals(range.lower(), first.lower());
        assertArrayEquals(range.upper(), last.upper());
        assertEquals(range.lowerInclusive(), first.lowerInclusive());
        assertEquals(range.upperInclusive(), last.upperInclusive());
        assertEquals(range.reversed(), first.reversed());
        assertEquals(range.keysOnly(), first.keysOnly());
        for (int i = 1; i < split.size(); i++) {
            KeyRange before = ascending.get(i - 1);
            KeyRange after = ascending.get(i);
            byte[] border = Objects.requireNonNull(after.lower());
            assertEquals(ByteBuffer.wrap(border), ByteBuffer.wrap(Objects.requireNonNull(before.upper())));
            assertTrue(after.lowerInclusive() && !before.upperInclusive());
            assertEquals(range.reversed(), after.reversed());
            assertEquals(range.keysOnly(), after.keysOnly());
        }
        try (Snapshot snapshot = store.snapshot()) {
            List<Found> found = new ArrayList<>();
            split.forEach(part -> found.addAll(entries(snapshot, table, part)));
            assertEquals(entries(snapshot, table, range), found, range::toString);
        }
        return split;
    }

    private static KeyRange range(SplittableRandom random) {
        KeyRange range = KeyRange.all();
        if (random.nextInt(3) > 0) {
            range = range.from(key(random.nextInt(KEYS)), random.nextBoolean());
        }
        if (random.nextInt(3) > 0) {
            range = range.to(key(random.nextInt(KEYS)), random.nextBoolean());
        }
        range = random.nextBoolean() ? range.reverse() : range;
        return random.nextInt(3) == 0 ? range.withoutValues() : range;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void the_parts_are_the_range(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try (KVStore store = open()) {
            Table table = table(store);
            for (int round = 0; round < 12; round++) {
                for (int i = random.nextInt(KEYS); i > 0; i--) {
                    byte[] key = key(random.nextInt(KEYS));
                    if (random.nextInt(4) == 0) {
                        table.remove(key);
                    } else {
                        table.put(key, new byte[random.nextInt(100)]);
                    }
                }
                switch (random.nextInt(4)) {
                    case 0 -> table.optimize((done, total) -> true);
                    case 1 -> table.flush();
                    default -> {
                        // entries stay where they are
                    }
                }
                for (int i = 0; i < 6; i++) {
                    check(store, table, range(random), 1 + random.nextInt(random.nextBoolean() ? 8 : MOST_PARTS));
                }
            }
        }
    }

    @Test
    void parts_of_a_table_in_files_are_roughly_equal() {
        try (KVStore store = open()) {
            Table table = table(store);
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i * 7 % KEYS), new byte[100]);
            }
            table.flush();
            table.optimize((done, total) -> true);
            List<KeyRange> all = check(store, table, KeyRange.all(), 8);
            assertEquals(divides() ? 8 : 1, all.size());
            for (KeyRange part : all) {
                long count = table.count(part);
                assertTrue(!divides() || (count > KEYS / 24 && count < KEYS / 3), () -> count + " in " + part);
            }
            KeyRange middle = KeyRange.between(key(KEYS / 4), key(KEYS / 2)).reverse();
            assertEquals(divides() ? 4 : 1, check(store, table, middle, 4).size());
        }
    }

    /** An {@code LSM} table has more than 100 files here, of a few blocks each: fewer than lie between two borders. */
    @Test
    void parts_of_many_files_are_as_many_as_asked_for() {
        int entries = 40_000;
        try (KVStore store = open()) {
            Table table = table(store);
            for (int i = 0; i < entries; i++) {
                table.put(key((int) (i * 7L % entries)), new byte[100]);
            }
            table.flush();
            table.optimize((done, total) -> true);
            for (int parts : new int[] {2, 3, 5, 8, 40}) {
                List<KeyRange> split = check(store, table, KeyRange.all(), parts);
                assertEquals(divides() ? parts : 1, split.size());
                for (KeyRange part : split) {
                    long count = table.count(part) * split.size();
                    assertTrue(count > entries / 2 && count < 2L * entries, () -> count + " in " + part);
                }
            }
        }
    }

    @Test
    void of_long_keys_few_are_considered() {
        int entries = 400;
        int prefix = 40_000;
        try (KVStore store = open()) {
            Table table = table(store);
            for (int i = 0; i < entries; i++) {
                table.put(ByteBuffer.allocate(prefix + 4).putInt(prefix, i).array(), new byte[4_000]);
            }
            table.flush();
            List<KeyRange> split = table.split(KeyRange.all(), MOST_PARTS);
            assertTrue(split.size() <= 1 + (4 << 20) / prefix, () -> split.size() + " parts");
            assertTrue(!divides() || split.size() >= 16, () -> split.size() + " parts");
            assertEquals(entries, split.stream().mapToLong(table::count).sum());
        }
    }

    @Test
    void an_empty_table_and_one_entry() {
        try (KVStore store = open()) {
            Table table = table(store);
            assertEquals(List.of(KeyRange.all()), table.split(KeyRange.all(), 8));
            table.put("one", new byte[1]);
            check(store, table, KeyRange.all(), 8);
            table.flush();
            check(store, table, KeyRange.all().reverse(), 8);
            KeyRange nothing = KeyRange.between(key(5), key(3));
            assertEquals(
                    0,
                    check(store, table, nothing, 8).stream()
                            .mapToLong(table::count)
                            .sum());
            table.remove("one");
            check(store, table, KeyRange.all(), MOST_PARTS);
        }
    }

    @Test
    void entries_that_only_memory_has() {
        try (KVStore store = open()) {
            Table table = table(store);
            table.put(key(1), new byte[1]);
            table.put(key(2), new byte[1]);
            check(store, table, KeyRange.all(), 2);
        }
    }

    @Test
    void limits() {
        try (KVStore store = open()) {
            Table table = table(store);
            for (int parts : new int[] {Integer.MIN_VALUE, -1, 0, MOST_PARTS + 1, Integer.MAX_VALUE}) {
                InvalidRequestException refusal =
                        assertThrows(InvalidRequestException.class, () -> table.split(KeyRange.all(), parts));
                assertTrue(String.valueOf(refusal.getMessage()).contains("give 1 to 1024"), refusal.getMessage());
            }
            for (int parts : new int[] {1, 2, MOST_PARTS - 1, MOST_PARTS}) {
                check(store, table, KeyRange.all(), parts);
            }
            InvalidRequestException refusal = assertThrows(
                    InvalidRequestException.class,
                    () -> table.split(KeyRange.all().limit(5), 2));
            assertTrue(String.valueOf(refusal.getMessage()).contains("limit 5"), refusal.getMessage());
        }
    }
}
