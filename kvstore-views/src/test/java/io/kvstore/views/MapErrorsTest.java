package io.kvstore.views;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.Outcome;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.error.TableDroppedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a map refuses, and what it says then. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MapErrorsTest {

    private final Tables lsm = new Tables("LSM");
    private final Tables bplus = new Tables("BPLUS");

    @AfterAll
    void close() {
        lsm.close();
        bplus.close();
    }

    List<Tables> stores() {
        return List.of(lsm, bplus);
    }

    private static TableMap<Integer, String> map(Table table) {
        TableMap<Integer, String> map = TableMap.of(table, Codecs.INT, Codecs.STRING);
        map.putAll(Map.of(1, "one", 2, "two", 3, "three"));
        return map;
    }

    @ParameterizedTest
    @ValueSource(strings = {"UNORDERED_MODEL", "HASH"})
    void a_table_without_an_order_of_keys_is_no_map(String engine) {
        try (Tables unordered = new Tables(engine)) {
            Table table = unordered.next();
            InvalidRequestException refusal =
                    assertThrows(InvalidRequestException.class, () -> TableMap.of(table, Codecs.INT, Codecs.STRING));
            assertEquals(
                    "table views.t0 is a " + engine
                            + " table, which has no order of keys, and a map needs one: use LSM or BPLUS",
                    refusal.getMessage());
        }
    }

    private static List<Supplier<@Nullable Object>> readsOf(TableMap<Integer, String> map) {
        return List.of(
                map::size,
                map::isEmpty,
                () -> map.get(1),
                () -> map.getOrDefault(1, ""),
                () -> map.containsKey(1),
                () -> map.containsValue("one"),
                () -> map.keySet().stream().count(),
                map::stream,
                map::firstKey,
                map::lastEntry,
                () -> map.floorKey(1),
                () -> map.higherEntry(1),
                () -> map.keySet().iterator().next(),
                () -> map.descendingMap().values().iterator().hasNext(),
                () -> map.subMap(1, 3).entrySet().size(),
                map::hashCode,
                map::toString);
    }

    private static List<Runnable> changesOf(TableMap<Integer, String> map) {
        return List.of(
                () -> map.set(1, "x"),
                () -> map.put(1, "x"),
                () -> map.putAll(Map.of(1, "x")),
                () -> map.putIfAbsent(1, "x"),
                () -> map.remove(1),
                () -> map.remove(1, "one"),
                () -> map.replace(1, "x"),
                () -> map.replace(1, "one", "x"),
                () -> map.replaceAll((key, value) -> "x"),
                () -> map.compute(1, (key, value) -> "x"),
                () -> map.computeIfAbsent(9, key -> "x"),
                () -> map.computeIfPresent(1, (key, value) -> "x"),
                () -> map.merge(1, "x", String::concat),
                map::pollFirstEntry,
                map::pollLastEntry,
                map::clear,
                () -> map.headMap(2).clear(),
                () -> map.keySet().remove(1),
                () -> map.keySet().pollLast(),
                () -> map.values().remove("one"),
                () -> map.entrySet().remove(Map.entry(1, "one")));
    }

    private static void eachThrows(Class<? extends Throwable> type, List<Runnable> calls) {
        for (int i = 0; i < calls.size(); i++) {
            assertThrows(type, calls.get(i)::run, "call " + i);
        }
    }

    private static void eachReadThrows(Class<? extends Throwable> type, List<Supplier<@Nullable Object>> reads) {
        for (int i = 0; i < reads.size(); i++) {
            assertThrows(type, reads.get(i)::get, "read " + i);
        }
    }

    private static String refusal(Executable call) {
        return String.valueOf(assertThrows(InvalidRequestException.class, call).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"LSM", "BPLUS"})
    void a_closed_store_is_closed(String engine) {
        TableMap<Integer, String> map;
        Iterator<Integer> begun;
        try (Tables tables = new Tables(engine)) {
            map = map(tables.next());
            begun = map.keySet().iterator();
            begun.next();
        }
        eachReadThrows(StoreClosedException.class, readsOf(map));
        eachThrows(StoreClosedException.class, changesOf(map));
        assertThrows(StoreClosedException.class, begun::remove);
        assertEquals(2, begun.next(), "the page was read before");
    }

    @EachEngine
    void a_dropped_table_is_gone_and_a_snapshot_still_has_it(Tables tables) {
        Table table = tables.next();
        TableMap<Integer, String> map = map(table);
        try (Snapshot snapshot = tables.store().snapshot()) {
            tables.dropAll();
            eachReadThrows(TableDroppedException.class, readsOf(map));
            eachThrows(TableDroppedException.class, changesOf(map));
            assertEquals(Map.of(1, "one", 2, "two", 3, "three"), map.at(snapshot));
        }
    }

    @EachEngine
    void a_closed_snapshot_shows_nothing(Tables tables) {
        TableMap<Integer, String> map = map(tables.next());
        Snapshot snapshot = tables.store().snapshot();
        TableMap<Integer, String> then = map.at(snapshot);
        snapshot.close();
        eachReadThrows(StoreClosedException.class, readsOf(then));
        eachThrows(UnsupportedOperationException.class, changesOf(then));
    }

    @EachEngine
    void each_change_of_a_snapshot_is_refused(Tables tables) {
        TableMap<Integer, String> map = map(tables.next());
        try (Snapshot snapshot = tables.store().snapshot()) {
            TableMap<Integer, String> then = map.at(snapshot);
            eachThrows(UnsupportedOperationException.class, changesOf(then));
            Iterator<Map.Entry<Integer, String>> entries = then.entrySet().iterator();
            Map.Entry<Integer, String> first = entries.next();
            assertThrows(UnsupportedOperationException.class, entries::remove);
            assertThrows(UnsupportedOperationException.class, () -> first.setValue("x"));
            assertEquals("one", first.getValue());
            assertEquals(map, then);
        }
    }

    @EachEngine
    @SuppressWarnings("NullAway") // null is what is tried
    void null_is_refused_everywhere(Tables tables) {
        TableMap<Integer, String> map = map(tables.next());
        eachThrows(
                NullPointerException.class,
                List.of(
                        () -> TableMap.of(null, Codecs.INT, Codecs.INT),
                        () -> TableMap.of(map.range().source().table(), null, Codecs.INT),
                        () -> TableMap.of(map.range().source().table(), Codecs.INT, null),
                        () -> map.at(null),
                        () -> map.get(null),
                        () -> map.set(1, null),
                        () -> map.set(null, "x"),
                        () -> map.put(1, null),
                        () -> map.put(null, "x"),
                        () -> map.putIfAbsent(1, null),
                        () -> map.putIfAbsent(null, "x"),
                        () -> map.remove(null),
                        () -> map.remove(1, null),
                        () -> map.remove(null, "x"),
                        () -> map.replace(1, null),
                        () -> map.replace(1, "one", null),
                        () -> map.replace(1, null, "x"),
                        () -> map.merge(1, null, String::concat),
                        () -> map.merge(9, "x", null),
                        () -> map.compute(9, null),
                        () -> map.computeIfAbsent(1, null),
                        () -> map.computeIfPresent(9, null),
                        () -> map.replaceAll(null),
                        () -> map.replaceAll((key, value) -> null),
                        () -> map.forEach(null),
                        () -> map.floorKey(null),
                        () -> map.headMap(null),
                        () -> map.tailMap(null),
                        () -> map.subMap(null, 1),
                        () -> map.subMap(1, null),
                        () -> map.keySet().remove(null),
                        () -> map.values().remove(null),
                        () -> map.entrySet().iterator().next().setValue(null)));
        eachReadThrows(
                NullPointerException.class,
                List.of(
                        () -> map.containsKey(null),
                        () -> map.containsValue(null),
                        () -> map.keySet().contains(null)));
        assertEquals(Map.of(1, "one", 2, "two", 3, "three"), map);
    }

    @EachEngine
    void a_part_takes_keys_of_its_range_only(Tables tables) {
        TableMap<Integer, String> map = map(tables.next());
        for (TableMap<Integer, String> part :
                List.of(map.subMap(2, 3), map.subMap(2, 3).descendingMap())) {
            eachThrows(
                    IllegalArgumentException.class,
                    List.of(
                            () -> part.set(3, "x"),
                            () -> part.put(1, "x"),
                            () -> part.putIfAbsent(1, "x"),
                            () -> part.replace(1, "x"),
                            () -> part.replace(1, "one", "x"),
                            () -> part.compute(1, (key, value) -> null),
                            () -> part.computeIfAbsent(1, key -> null),
                            () -> part.merge(1, "x", String::concat),
                            () -> part.headMap(1),
                            () -> part.tailMap(4),
                            () -> part.subMap(0, 9)));
            assertNull(part.get(1));
            assertNull(part.remove(1));
            assertNull(part.computeIfPresent(1, (key, value) -> "x"));
            assertEquals(Map.of(2, "two"), part);
        }
        assertThrows(IllegalArgumentException.class, () -> map.subMap(3, 2));
        assertThrows(IllegalArgumentException.class, () -> map.descendingMap().subMap(2, 3));
        assertEquals(Map.of(1, "one", 2, "two", 3, "three"), map);
    }

    @EachEngine
    void a_value_that_cannot_be_decoded_names_table_and_key(Tables tables) {
        Table table = tables.next();
        TableMap<Integer, String> map = map(table);
        table.put(Codecs.INT.encode(2), new byte[] {-1});
        List<Runnable> calls = List.of(
                () -> map.get(2),
                () -> map.getOrDefault(2, ""),
                () -> map.putIfAbsent(2, "x"),
                () -> map.replace(2, "x"),
                () -> map.compute(2, (key, value) -> "x"),
                () -> map.computeIfAbsent(2, key -> "x"),
                () -> map.computeIfPresent(2, (key, value) -> "x"),
                () -> map.merge(2, "x", String::concat),
                () -> map.floorEntry(2),
                () -> map.tailMap(2).pollFirstEntry());
        for (Runnable call : calls) {
            InvalidRequestException refused = assertThrows(InvalidRequestException.class, call::run);
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("views." + table.name()), message);
            assertTrue(message.contains("\\x80\\x00\\x00\\x02"), message);
            assertInstanceOf(IllegalArgumentException.class, refused.getCause());
        }
        assertEquals(2, map.floorKey(2), "keys are read without values");
        assertArrayEquals(new byte[] {-1}, table.get(Codecs.INT.encode(2)), "nothing was changed");
        assertThrows(InvalidRequestException.class, () -> {
            try (Stream<Map.Entry<Integer, String>> stream = map.stream()) {
                stream.toList();
            }
        });
        assertEquals(0, tables.store().stats().openSnapshots());
    }

    /** A buffer that ends too early throws an exception without a message. */
    @Test
    void a_codec_without_a_reason_is_named_by_its_exception() {
        Table table = lsm.next();
        Codec<Long> codec = Codec.of(
                value -> ByteBuffer.allocate(Long.BYTES).putLong(value).array(),
                bytes -> ByteBuffer.wrap(bytes).getLong(),
                null);
        TableMap<Integer, Long> map = TableMap.of(table, Codecs.INT, codec);
        table.put(Codecs.INT.encode(2), new byte[7]);
        String message = refusal(() -> map.get(2));
        assertTrue(message.contains(" cannot be decoded: java.nio.BufferUnderflowException; open the map"), message);
    }

    @Test
    @SuppressWarnings("NullAway") // null is what is tried
    void a_codec_that_gives_null_is_found_out() {
        Table table = lsm.next();
        Codec<String> codec = Codec.of(
                value -> value.isEmpty() ? null : Codecs.STRING.encode(value),
                bytes -> bytes.length == 0 ? null : Codecs.STRING.decode(bytes),
                null);
        TableMap<Integer, String> map = TableMap.of(table, Codecs.INT, codec);
        map.set(1, "one");
        table.put(Codecs.INT.encode(2), new byte[0]);
        assertThrows(NullPointerException.class, () -> map.merge(1, "x", (before, value) -> ""));
        assertEquals("one", map.get(1));
        String message = refusal(() -> map.putIfAbsent(2, "x"));
        assertTrue(message.contains(" cannot be decoded: the codec gives null; open the map"), message);
        assertThrows(OutcomeUnknownException.class, () -> map.put(2, "x"));
        assertEquals("x", map.get(2));
    }

    /** A caller that repeats a refused change, or gives it up, must not take this for a refusal. */
    @EachEngine
    void an_old_value_that_cannot_be_decoded_is_gone_when_this_is_said(Tables tables) {
        Table table = tables.next();
        TableMap<Integer, String> map = map(table);
        table.put(Codecs.INT.encode(2), new byte[] {-1});
        isDone(table, () -> map.put(2, "x"));
        assertEquals("x", map.get(2));
        table.put(Codecs.INT.encode(2), new byte[] {-1});
        isDone(table, () -> map.remove(2));
        assertNull(map.get(2));
        table.put(Codecs.INT.encode(2), new byte[] {-1});
        assertTrue(map.keySet().remove(2));
        assertNull(map.get(2));
    }

    private static void isDone(Table table, Executable change) {
        OutcomeUnknownException done = assertThrows(OutcomeUnknownException.class, change);
        assertEquals(Outcome.UNKNOWN, done.outcome());
        String message = String.valueOf(done.getMessage());
        assertTrue(message.startsWith("the change is done"), message);
        assertTrue(message.contains("\\x80\\x00\\x00\\x02\" in table views." + table.name()), message);
        assertInstanceOf(IllegalArgumentException.class, done.getCause());
    }

    @EachEngine
    void an_iterator_goes_on_behind_what_cannot_be_decoded(Tables tables) {
        Table table = tables.next();
        TableMap<Integer, String> map = map(table);
        table.put(Codecs.INT.encode(2), new byte[] {-1});
        table.put(new byte[] {-1}, new byte[0]);
        Iterator<Map.Entry<Integer, String>> entries = map.entrySet().iterator();
        assertEquals(Map.entry(1, "one"), entries.next());
        assertThrows(InvalidRequestException.class, entries::next);
        assertThrows(IllegalStateException.class, entries::remove);
        assertEquals(Map.entry(3, "three"), entries.next());
        String message = refusal(entries::next);
        assertTrue(message.startsWith("the key \"\\xff\" in table views."), message);
        assertThrows(InvalidRequestException.class, map::lastKey);
    }

    @EachEngine
    void what_cannot_be_encoded_changes_nothing(Tables tables) {
        TableMap<String, String> map = TableMap.of(tables.next(), Codecs.STRING, Codecs.STRING);
        assertThrows(InvalidRequestException.class, () -> map.put("\uD800", "x"));
        assertThrows(InvalidRequestException.class, () -> map.put("x", "\uD800"));
        assertThrows(InvalidRequestException.class, () -> map.compute("x", (key, value) -> "\uD800"));
        assertThrows(InvalidRequestException.class, () -> map.set("x".repeat(70_000), "too long"));
        assertTrue(map.isEmpty());
    }

    @Test
    void another_type_is_another_type() {
        TableMap<Integer, String> map = map(lsm.next());
        List<Object> keys = new ArrayList<>(List.of("1", 1L));
        for (Object key : keys) {
            assertThrows(ClassCastException.class, () -> map.get(key));
            assertThrows(ClassCastException.class, () -> map.remove(key));
        }
    }

    @Test
    void keys_have_an_order() {
        Codec<Integer> unordered = Codec.of(Codecs.INT::encode, Codecs.INT::decode, null);
        Table table = lsm.next();
        String message = refusal(() -> TableMap.of(table, unordered, Codecs.INT));
        assertTrue(message.contains(table.name()), message);
        assertTrue(TableMap.of(table, Codecs.INT, unordered).isEmpty());
    }
}
