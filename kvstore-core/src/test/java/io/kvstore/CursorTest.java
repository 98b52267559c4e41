package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.kvstore.data.KeyRange;
import io.kvstore.error.StoreClosedException;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cursors fetch entries ahead; nobody notices. */
final class CursorTest {

    private static final int ENTRIES = 500;

    private final StepClock clock = new StepClock();
    private final KVStore store = new KVStore(
            Path.of("unused"),
            KVStoreOptions.defaults()
                    .withStorage(new SimStorage())
                    .withClock(clock)
                    .withBackground(new StepBackground(clock))
                    .withMemoryBytes(64 << 20));
    private Table table;

    @BeforeEach
    void load() {
        store.createDB("db");
        table = store.createTable("db", "t", "model");
        for (int i = 0; i < ENTRIES; i++) {
            table.put(key(i), value(i));
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number) {
        byte[] value = new byte[number % 7 == 0 ? 20_000 : 1 + number % 50];
        Arrays.fill(value, (byte) number);
        return value;
    }

    private void walk(KeyRange range, int expected, IntPredicate asksValue, Consumer<byte[]> afterwards) {
        try (Cursor cursor = table.scan(range)) {
            assertThrows(IllegalStateException.class, cursor::key, "before the first entry");
            int number = 0;
            while (cursor.next()) {
                byte[] key = cursor.key();
                assertArrayEquals(key(number), key);
                assertSame(key, cursor.key());
                afterwards.accept(key);
                if (asksValue.test(number)) {
                    byte[] value = cursor.value();
                    assertArrayEquals(value(number), value);
                    assertSame(value, cursor.value());
                    afterwards.accept(value);
                }
                number++;
            }
            assertEquals(expected, number);
            assertFalse(cursor.next());
            assertThrows(IllegalStateException.class, cursor::key, "behind the last entry");
            assertThrows(IllegalStateException.class, cursor::value, "behind the last entry");
        }
    }

    @Test
    void whoever_asks_for_all_some_or_no_values_gets_them() {
        Consumer<byte[]> nothing = bytes -> {};
        walk(KeyRange.all(), ENTRIES, number -> true, nothing);
        walk(KeyRange.all(), ENTRIES, number -> false, nothing);
        walk(KeyRange.all(), ENTRIES, number -> number % 3 == 0, nothing);
        walk(KeyRange.all(), ENTRIES, number -> number < 100 || number > 200, nothing);
    }

    @Test
    void the_arrays_are_the_callers() {
        walk(KeyRange.all(), ENTRIES, number -> true, bytes -> Arrays.fill(bytes, (byte) -1));
        walk(KeyRange.all(), ENTRIES, number -> number % 2 == 0, bytes -> Arrays.fill(bytes, (byte) -1));
        walk(KeyRange.all(), ENTRIES, number -> true, bytes -> {});
    }

    @Test
    void limits_hold_at_every_length() {
        for (int limit = 1; limit < 140; limit++) {
            walk(KeyRange.all().limit(limit), limit, number -> true, bytes -> {});
        }
        walk(KeyRange.all().limit(ENTRIES + 1), ENTRIES, number -> true, bytes -> {});
    }

    @Test
    void keys_alone_come_without_values() {
        try (Cursor cursor = table.scan(KeyRange.all().withoutValues())) {
            int number = 0;
            while (cursor.next()) {
                assertArrayEquals(key(number++), cursor.key());
                assertEquals(0, cursor.value().length);
            }
            assertEquals(ENTRIES, number);
        }
    }

    @Test
    void nothing_is_given_after_it_was_closed_also_if_it_was_fetched() throws Exception {
        Cursor cursor = table.scan(KeyRange.all());
        for (int i = 0; i < 40; i++) {
            assertTrue(cursor.next());
            assertArrayEquals(value(i), cursor.value());
        }
        try (var other = Executors.newSingleThreadExecutor()) {
            other.submit(cursor::close).get();
        }
        assertThrows(StoreClosedException.class, cursor::key);
        assertThrows(StoreClosedException.class, cursor::value);
        assertThrows(StoreClosedException.class, cursor::next);
    }

    @Test
    void nothing_is_given_after_the_store_was_closed() {
        Cursor cursor = table.scan(KeyRange.all());
        for (int i = 0; i < 40; i++) {
            assertTrue(cursor.next());
            assertArrayEquals(value(i), cursor.value());
        }
        store.close();
        assertThrows(StoreClosedException.class, cursor::key);
        assertThrows(StoreClosedException.class, cursor::value);
        assertThrows(StoreClosedException.class, cursor::next);
    }

    /** Takes so many entries with a visitor, at least one; returns the number of the next one. */
    private static int visit(Cursor cursor, int from, int count, int end) {
        int[] number = {from};
        cursor.visit((key, value) -> {
            assertArrayEquals(key(number[0]), key);
            assertEquals(ByteBuffer.wrap(value(number[0])), value);
            number[0]++;
            return number[0] < from + count;
        });
        assertEquals(Math.min(end, from + count), number[0]);
        assertThrows(IllegalStateException.class, cursor::key, "behind what was visited");
        return number[0];
    }

    @Test
    void a_visitor_gets_what_is_left_and_what_it_leaves_comes_next() {
        for (int first : new int[] {0, 1, 2, 40, 127, 128, 129, ENTRIES - 1, ENTRIES}) {
            for (int taken : new int[] {1, 3, 30, 127, 128, 129, ENTRIES}) {
                try (Cursor cursor = table.scan(KeyRange.all())) {
                    for (int i = 0; i < first; i++) {
                        assertTrue(cursor.next());
                        assertArrayEquals(value(i), cursor.value());
                    }
                    int number = visit(cursor, first, taken, ENTRIES);
                    for (int i = number; i < ENTRIES; i++) {
                        assertTrue(cursor.next());
                        assertArrayEquals(key(i), cursor.key());
                    }
                    assertFalse(cursor.next());
                    cursor.visit((key, value) -> fail("there is nothing left"));
                }
            }
        }
    }

    @Test
    void a_visitor_gets_no_more_than_the_limit_and_no_values_of_keys_alone() {
        for (int limit : new int[] {1, 127, 128, 129, ENTRIES, ENTRIES + 1}) {
            try (Cursor cursor = table.scan(KeyRange.all().limit(limit))) {
                visit(cursor, 0, Integer.MAX_VALUE, Math.min(limit, ENTRIES));
            }
        }
        int[] number = {0};
        try (Cursor cursor = table.scan(KeyRange.all().withoutValues())) {
            cursor.visit((key, value) -> {
                assertArrayEquals(key(number[0]++), key);
                return !value.hasRemaining();
            });
        }
        assertEquals(ENTRIES, number[0]);
    }

    @Test
    void a_visitor_gets_nothing_after_the_cursor_or_the_store_was_closed() {
        Cursor cursor = table.scan(KeyRange.all());
        cursor.close();
        assertThrows(StoreClosedException.class, () -> cursor.visit((key, value) -> fail("it is closed")));
        Cursor other = table.scan(KeyRange.all());
        store.close();
        assertThrows(StoreClosedException.class, () -> other.visit((key, value) -> fail("it is closed")));
    }

    @Test
    void a_visitor_that_fails_fails_its_caller_alone() {
        try (Cursor cursor = table.scan(KeyRange.all())) {
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> cursor.visit((key, value) -> {
                        throw new UnsupportedOperationException();
                    }));
            assertTrue(cursor.next());
            assertArrayEquals(key(1), cursor.key());
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> cursor.visit((key, value) -> {
                        throw new UnsupportedOperationException();
                    }));
            assertThrows(IllegalStateException.class, cursor::value, "no value of another key");
            assertTrue(cursor.next());
            assertArrayEquals(value(3), cursor.value());
        }
    }

    @Test
    void a_visitor_that_closes_the_cursor_gets_no_more() {
        Cursor cursor = table.scan(KeyRange.all());
        int[] count = {0};
        assertThrows(
                StoreClosedException.class,
                () -> cursor.visit((key, value) -> {
                    count[0]++;
                    cursor.close();
                    return true;
                }));
        assertEquals(1, count[0]);
    }

    @Test
    void it_sees_one_moment() {
        try (Cursor cursor = table.scan(KeyRange.all())) {
            for (int i = 0; i < ENTRIES; i++) {
                assertTrue(cursor.next());
                assertArrayEquals(key(i), cursor.key());
                assertArrayEquals(value(i), cursor.value());
                table.put(key(i + 1), new byte[1]);
                table.remove(key(i + 20));
            }
            assertFalse(cursor.next());
        }
    }
}
