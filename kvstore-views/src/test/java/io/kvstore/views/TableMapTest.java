package io.kvstore.views;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.WriteBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** What a map of a table has beyond the contract, and what the contract leaves open. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TableMapTest {

    /** Letter case does not matter when this is read: several bytes have one value. */
    private static final Codec<String> SEVERAL_BYTES =
            Codec.of(text -> text.getBytes(UTF_8), bytes -> new String(bytes, UTF_8).toLowerCase(Locale.ROOT), null);

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

    private static TableMap<Integer, String> numbers(Table table, int count) {
        TableMap<Integer, String> map = TableMap.of(table, Codecs.INT, Codecs.STRING);
        for (int i = 0; i < count; i++) {
            map.set(i, "v" + i);
        }
        return map;
    }

    @EachEngine
    void maps_of_one_table_show_the_same(Tables tables) {
        Table table = tables.next();
        TableMap<Integer, String> one = numbers(table, 3);
        TableMap<Integer, String> other = TableMap.of(table, Codecs.INT, Codecs.STRING);
        assertEquals(one, other);
        other.put(7, "seven");
        assertEquals("seven", one.get(7));
        assertArrayEquals("seven".getBytes(UTF_8), table.get(Codecs.INT.encode(7)));
        table.remove(Codecs.INT.encode(7));
        assertFalse(one.containsKey(7));
    }

    @EachEngine
    void a_map_follows_its_table_through_a_truncate(Tables tables) {
        Table table = tables.next();
        TableMap<Integer, String> map = numbers(table, 3);
        table.truncate();
        assertTrue(map.isEmpty());
        map.set(1, "again");
        assertEquals(Map.of(1, "again"), map);
    }

    @EachEngine
    void a_snapshot_stays_and_takes_no_changes(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 20);
        try (Snapshot snapshot = tables.store().snapshot()) {
            map.remove(3);
            map.set(4, "other");
            TableMap<Integer, String> before = map.at(snapshot);
            assertEquals(20, before.size());
            assertEquals("v3", before.get(3));
            assertTrue(before.containsKey(3));
            assertEquals(Map.entry(4, "v4"), before.subMap(4, 5).firstEntry());
            assertEquals(
                    List.of(19, 18),
                    before.descendingMap().keySet().stream().limit(2).toList());
            assertEquals(20, before.stream().count());
        }
    }

    @EachEngine
    void a_stream_is_of_one_moment_and_ends_with_its_close(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 2_000);
        try (Stream<Map.Entry<Integer, String>> stream = map.subMap(10, 1_990).stream()) {
            assertEquals(1, tables.store().stats().openSnapshots());
            map.keySet().removeIf(key -> key % 2 == 0);
            assertEquals(
                    IntStream.range(10, 1_990).boxed().toList(),
                    stream.map(Map.Entry::getKey).toList());
        }
        assertEquals(0, tables.store().stats().openSnapshots());
        assertEquals(1_000, map.size());
    }

    @EachEngine
    void a_part_is_cleared_and_nothing_beside_it(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 3_000);
        map.subMap(5, 2_990).descendingMap().clear();
        assertEquals(
                IntStream.range(0, 3_000)
                        .filter(i -> i < 5 || i >= 2_990)
                        .boxed()
                        .toList(),
                List.copyOf(map.keySet()));
        map.tailMap(0).clear();
        assertTrue(map.isEmpty());
    }

    @EachEngine
    void a_part_that_was_cleared_stays_so_after_a_power_loss(Tables tables) {
        Table table = tables.next(with(TableConfParamsEnum.DURABILITY, "SYNC"));
        TableMap<Integer, String> map = numbers(table, 200);
        map.tailMap(3).clear();
        try (KVStore after = tables.afterPowerLoss()) {
            assertEquals(
                    List.of(0, 1, 2),
                    List.copyOf(TableMap.of(after.table(table.database(), table.name()), Codecs.INT, Codecs.STRING)
                            .keySet()));
        }
    }

    /** Nobody may ask for a durability there. */
    @EachEngine
    void a_part_of_a_table_without_log_is_cleared(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(with(TableConfParamsEnum.ENABLE_WAL, "false")), 20);
        map.headMap(17).clear();
        assertEquals(Map.of(17, "v17", 18, "v18", 19, "v19"), map);
    }

    private static Properties with(TableConfParamsEnum parameter, String value) {
        Properties properties = new Properties();
        properties.put(parameter, value);
        return properties;
    }

    @EachEngine
    void the_estimate_is_of_the_whole_table(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 500);
        assertEquals(500.0, (double) map.sizeEstimate(), 50);
        assertEquals(500.0, (double) map.headMap(3).sizeEstimate(), 50);
    }

    @EachEngine
    void ten_elements_are_printed(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 10);
        assertEquals("{0=v0, 1=v1, 2=v2, 3=v3, 4=v4, 5=v5, 6=v6, 7=v7, 8=v8, 9=v9}", map.toString());
        map.set(10, "v10");
        assertEquals("{0=v0, 1=v1, 2=v2, 3=v3, 4=v4, 5=v5, 6=v6, 7=v7, 8=v8, 9=v9, ...}", map.toString());
        assertEquals(
                "[10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ...]", map.descendingKeySet().toString());
        assertEquals("[9=v9, 10=v10]", map.tailMap(9).entrySet().toString());
        assertEquals("[]", map.tailMap(11).values().toString());
    }

    /** A condition on decoded values would fail for ever: what is written back is not what was read. */
    @EachEngine
    void functions_end_where_a_value_has_several_encodings(Tables tables) {
        Table table = tables.next();
        TableMap<Integer, String> map = TableMap.of(table, Codecs.INT, SEVERAL_BYTES);
        table.put(Codecs.INT.encode(1), "ABC".getBytes(UTF_8));
        assertFalse(map.replace(1, "abc", "x"));
        assertFalse(map.remove(1, "abc"));
        assertEquals("abcd", map.compute(1, (key, value) -> value + "d"));
        table.put(Codecs.INT.encode(1), "ABC".getBytes(UTF_8));
        assertEquals("abce", map.merge(1, "e", String::concat));
        table.put(Codecs.INT.encode(1), "ABC".getBytes(UTF_8));
        map.replaceAll((key, value) -> value + "f");
        assertEquals("abcf", map.get(1));
        table.put(Codecs.INT.encode(1), "ABC".getBytes(UTF_8));
        assertEquals("abc", map.replace(1, "g"));
        table.put(Codecs.INT.encode(1), "ABC".getBytes(UTF_8));
        assertEquals(Map.entry(1, "abc"), map.pollFirstEntry());
    }

    @EachEngine
    void functions_may_use_the_store(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 2);
        assertEquals("v0v1", map.compute(0, (key, value) -> value + map.get(1)));
        assertEquals("2", map.computeIfAbsent(5, key -> {
            map.remove(1);
            map.set(6, "six");
            return String.valueOf(map.size());
        }));
    }

    @EachEngine
    void a_function_runs_again_when_another_change_came_between(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 1);
        AtomicInteger runs = new AtomicInteger();
        assertEquals("other!", map.compute(0, (key, value) -> {
            if (runs.incrementAndGet() == 1) {
                map.set(0, "other");
            }
            return value + "!";
        }));
        assertEquals(2, runs.get());
        runs.set(0);
        assertEquals("other", map.computeIfAbsent(9, key -> {
            runs.incrementAndGet();
            map.set(9, "other");
            return "mine";
        }));
        assertEquals(1, runs.get());
        assertEquals("other", map.get(9));
    }

    @EachEngine
    void a_function_that_throws_changes_nothing(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 1);
        assertThrows(
                IllegalStateException.class,
                () -> map.compute(0, (key, value) -> {
                    throw new IllegalStateException("no");
                }));
        assertEquals("v0", map.get(0));
    }

    @EachEngine
    void arrays_are_compared_by_content(Tables tables) {
        TableMap<byte[], byte[]> map = TableMap.of(tables.next(), Codecs.BYTES, Codecs.BYTES);
        map.put(new byte[] {1}, new byte[] {2});
        assertTrue(map.containsKey(new byte[] {1}));
        assertTrue(map.containsValue(new byte[] {2}));
        assertTrue(map.values().contains(new byte[] {2}));
        assertTrue(map.entrySet().contains(Map.entry(new byte[] {1}, new byte[] {2})));
        assertTrue(map.remove(new byte[] {1}, new byte[] {2}));
        assertTrue(map.isEmpty());
    }

    @EachEngine
    void the_comparator_says_the_order(Tables tables) {
        Table table = tables.next();
        assertNull(TableMap.of(table, Codecs.INT, Codecs.INT).comparator());
        assertNull(TableMap.of(table, Codecs.INT, Codecs.INT)
                .descendingMap()
                .descendingMap()
                .comparator());
        assertEquals(
                Comparator.reverseOrder(),
                TableMap.of(table, Codecs.INT, Codecs.INT).descendingMap().comparator());
        assertEquals(
                Codecs.STRING.order(),
                TableMap.of(table, Codecs.STRING, Codecs.INT).headMap("x").comparator());
        assertNull(TableMap.of(table, Codecs.descending(Codecs.descending(Codecs.LONG)), Codecs.INT)
                .comparator());
        assertEquals(
                Comparator.reverseOrder(),
                TableMap.of(table, Codecs.descending(Codecs.LONG), Codecs.INT).comparator());
    }

    @EachEngine
    void keys_of_any_codec_are_in_its_order(Tables tables) {
        Table table = tables.next();
        PairCodec<String, Long> keys = Codecs.pair(Codecs.STRING, Codecs.descending(Codecs.LONG));
        TableMap<Pair<String, Long>, Boolean> map = TableMap.of(table, keys, Codecs.BOOLEAN);
        for (String user : List.of("bob", "alice", "alice\0", "")) {
            for (long time : new long[] {3, -1, 2}) {
                map.put(new Pair<>(user, time), true);
            }
        }
        assertEquals(
                List.of(new Pair<>("alice", 3L), new Pair<>("alice", 2L), new Pair<>("alice", -1L)),
                List.copyOf(map.keySet().subSet(new Pair<>("alice", 9L), new Pair<>("alice\0", 9L))));
        assertEquals(new Pair<>("", 3L), map.firstKey());
        assertEquals(new Pair<>("bob", -1L), map.lastKey());
        assertEquals(3, table.count(keys.startingWith("alice")));
    }

    /** One thread puts ascending keys, faster than they are removed, until it is told to stop. */
    @EachEngine
    void a_part_is_cleared_up_to_its_last_key(Tables tables) throws Exception {
        Table table = tables.next();
        int first = 2_000;
        int last = 300_000;
        TableMap<Integer, String> map = numbers(table, first);
        AtomicBoolean cleared = new AtomicBoolean();
        AtomicInteger next = new AtomicInteger(first);
        Thread writer = new Thread(() -> {
            while (!cleared.get() && next.get() < last) {
                WriteBatch batch = new WriteBatch();
                for (int i = 0; i < 100; i++) {
                    batch.put(table, Codecs.INT.encode(next.getAndIncrement()), new byte[0]);
                }
                tables.store().write(batch);
            }
        });
        writer.start();
        while (next.get() < first + 1_000) {
            Thread.onSpinWait();
        }
        int begun = next.get();
        map.tailMap(1).clear();
        cleared.set(true);
        writer.join();
        assertEquals(0, map.firstKey());
        Integer left = Objects.requireNonNull(map.higherKey(0), "the walk went on until nobody put keys ahead of it");
        assertTrue(left >= begun - 100);
        assertEquals(next.get() - 1, map.lastKey());
    }

    @EachEngine
    void spliterators_know_the_order_and_not_the_size(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 100);
        Spliterator<Integer> keys = map.keySet().spliterator();
        assertTrue(keys.hasCharacteristics(Spliterator.SORTED | Spliterator.ORDERED | Spliterator.DISTINCT));
        assertFalse(keys.hasCharacteristics(Spliterator.SIZED));
        assertNull(keys.getComparator());
        assertEquals(
                Comparator.reverseOrder(), map.descendingKeySet().spliterator().getComparator());
        assertFalse(map.entrySet().spliterator().hasCharacteristics(Spliterator.SIZED));
        assertFalse(map.values().spliterator().hasCharacteristics(Spliterator.SIZED));
        assertEquals(
                new HashMap<>(map),
                map.entrySet().parallelStream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /** The inherited method would walk over the whole table for a collection that is larger than it. */
    @EachEngine
    void what_is_removed_together_is_found_by_its_keys(Tables tables) {
        TableMap<Integer, String> map = numbers(tables.next(), 5);
        List<Object> many = new ArrayList<>(List.of(3, 3, 4, 77, 78, 79, 80));
        assertTrue(map.keySet().removeAll(many));
        assertFalse(map.keySet().removeAll(many));
        assertTrue(map.entrySet().removeAll(List.of(Map.entry(0, "v0"), Map.entry(1, "other"), "no entry")));
        assertEquals(new ConcurrentSkipListMap<>(Map.of(1, "v1", 2, "v2")), map);
    }

    /** Another writer puts a new value after the old one was tested, and before it is removed. */
    @EachEngine
    void what_changed_since_it_was_tested_stays(Tables tables) {
        TableMap<Long, String> sessions = TableMap.of(tables.next(), Codecs.LONG, Codecs.STRING);
        for (long i = 0; i < 40; i++) {
            sessions.set(i, "old");
        }
        assertTrue(sessions.values().removeIf(value -> {
            sessions.set(7L, "fresh");
            return value.equals("old");
        }));
        assertEquals(Map.of(7L, "fresh"), Map.copyOf(sessions));
        sessions.set(8L, "old");
        assertFalse(sessions.entrySet().removeIf(entry -> {
            sessions.set(8L, "fresh");
            return entry.getValue().equals("old");
        }));
        assertEquals(Map.of(7L, "fresh", 8L, "fresh"), Map.copyOf(sessions));
        assertTrue(sessions.values().retainAll(List.of("none")));
        assertTrue(sessions.isEmpty());
    }
}
