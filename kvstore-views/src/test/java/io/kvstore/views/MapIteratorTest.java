package io.kvstore.views;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.data.KeyRange;
import io.kvstore.error.CorruptionException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** Iterators read pages, keep nothing open, and write through. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MapIteratorTest {

    /** Pages of 16, 64, 256, 1,024, 1,024 and what is left. */
    private static final int MANY = 2_500;

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

    private static TableMap<Integer, Integer> map(Table table, int count) {
        TableMap<Integer, Integer> map = TableMap.of(table, Codecs.INT, Codecs.INT);
        for (int i = 0; i < count; i++) {
            map.set(i, i);
        }
        return map;
    }

    @EachEngine
    void pages_join_in_both_directions(Tables tables) {
        TableMap<Integer, Integer> map = map(tables.next(), MANY);
        List<Integer> all = IntStream.range(0, MANY).boxed().toList();
        assertEquals(all, List.copyOf(map.keySet()));
        assertEquals(all, List.copyOf(map.values()));
        assertEquals(all.reversed(), List.copyOf(map.descendingKeySet()));
        assertEquals(all.subList(7, 2_400), List.copyOf(map.subMap(7, 2_400).values()));
        for (int count : new int[] {0, 1, 15, 16, 17, 79, 80, 81}) {
            assertEquals(all.subList(0, count), List.copyOf(map.headMap(count).keySet()), count + " of them");
        }
    }

    @EachEngine
    void an_abandoned_iterator_keeps_nothing_open(Tables tables) {
        TableMap<Integer, Integer> map = map(tables.next(), MANY);
        List<Iterator<?>> abandoned = new ArrayList<>();
        for (int steps = 0; steps < 100; steps += 7) {
            for (Iterator<?> iterator : List.<Iterator<?>>of(
                    map.keySet().iterator(),
                    map.values().iterator(),
                    map.entrySet().iterator(),
                    map.descendingMap().keySet().iterator())) {
                for (int i = 0; i < steps; i++) {
                    iterator.next();
                }
                abandoned.add(iterator);
                assertEquals(0, tables.store().stats().openSnapshots());
            }
        }
        tables.dropAll();
        assertFalse(abandoned.isEmpty());
    }

    @EachEngine
    void what_happens_behind_the_page_is_seen(Tables tables) {
        TableMap<Integer, Integer> map = map(tables.next(), 100);
        Iterator<Integer> keys = map.keySet().iterator();
        assertEquals(0, keys.next());
        map.remove(1);
        map.remove(16);
        map.set(1_000, 0);
        List<Integer> rest = new ArrayList<>();
        keys.forEachRemaining(rest::add);
        List<Integer> expected = new ArrayList<>(IntStream.range(1, 100).boxed().toList());
        expected.remove(Integer.valueOf(16)); // the key, and not a place
        expected.add(1_000);
        assertEquals(expected, rest);
    }

    @EachEngine
    void an_iterator_that_has_ended_has_ended(Tables tables) {
        TableMap<Integer, Integer> map = map(tables.next(), 3);
        Iterator<Integer> keys = map.keySet().iterator();
        keys.forEachRemaining(key -> {});
        assertFalse(keys.hasNext());
        map.set(5, 5);
        assertFalse(keys.hasNext());
        assertThrows(NoSuchElementException.class, keys::next);
    }

    /** Nothing was behind it when it was read, so all that was there from the beginning was seen. A full page says nothing. */
    @EachEngine
    void a_page_that_is_not_full_is_the_last_one(Tables tables) {
        for (int count : new int[] {1, 15, 16, 17, 79, 80, 81}) {
            TableMap<Integer, Integer> map = map(tables.next(), count);
            Iterator<Integer> keys = map.keySet().iterator();
            List<Integer> seen = new ArrayList<>();
            while (seen.size() < count) {
                seen.add(keys.next());
            }
            map.set(1_000, 0);
            boolean isFull = count == 16 || count == 80;
            assertEquals(isFull, keys.hasNext(), "after " + count);
            assertEquals(IntStream.range(0, count).boxed().toList(), seen);
        }
    }

    /** Values rot on the disk. Each is told of once, and all others are seen. */
    @EachEngine
    void a_walk_goes_on_behind_damaged_values(Tables tables) throws Exception {
        Table table = tables.next(withoutLog());
        TableMap<Integer, byte[]> map = TableMap.of(table, Codecs.INT, Codecs.BYTES);
        for (int i = 0; i < 200; i++) {
            map.set(i, new byte[1_000]);
        }
        table.flush();
        try (KVStore damaged = tables.afterDamage(file -> file.endsWith(".val"))) {
            TableMap<Integer, byte[]> found =
                    TableMap.of(damaged.table(table.database(), table.name()), Codecs.INT, Codecs.BYTES);
            List<Integer> whole = new ArrayList<>(IntStream.range(0, 200)
                    .filter(key -> isReadable(found, key))
                    .boxed()
                    .toList());
            int rotten = 200 - whole.size();
            assertTrue(rotten > 0 && rotten < 200, rotten + " are damaged");
            walk(found, whole, rotten);
            walk(found.descendingMap(), whole.reversed(), rotten);
            assertEquals(200, List.copyOf(found.keySet()).size());
        }
    }

    private static boolean isReadable(TableMap<Integer, byte[]> map, int key) {
        try {
            return map.get(key) != null;
        } catch (CorruptionException e) {
            return false;
        }
    }

    private static void walk(TableMap<Integer, byte[]> map, List<Integer> keys, int damages) {
        List<Integer> seen = new ArrayList<>();
        int failures = 0;
        for (Iterator<Map.Entry<Integer, byte[]>> entries = map.entrySet().iterator();
                failures <= damages && entries.hasNext(); ) {
            try {
                seen.add(entries.next().getKey());
            } catch (CorruptionException e) {
                failures++;
                assertThrows(IllegalStateException.class, entries::remove, "no entry was returned");
            }
        }
        assertEquals(keys, seen);
        assertEquals(damages, failures);
    }

    /** Another thread removes the entry between the failed read of a page and the look for its first key. */
    @EachEngine
    void a_damaged_entry_that_is_removed_takes_no_other_along(Tables tables) throws Exception {
        Table table = withLongValues(tables);
        for (boolean isReversed : new boolean[] {false, true}) {
            try (KVStore damaged = tables.afterDamage(file -> file.endsWith(".val"))) {
                Table found = damaged.table(table.database(), table.name());
                List<Integer> whole = readable(found);
                int rotten = firstRotten(whole, isReversed);
                Walked walked = walk(found, isReversed, () -> found.remove(Codecs.INT.encode(rotten)));
                assertEquals(isReversed ? whole.reversed() : whole, walked.seen());
                assertEquals(200 - whole.size() - 1, walked.failures());
            }
        }
    }

    /** Another thread puts an entry between the failed read of a page and the look for its first key. */
    @EachEngine
    void an_entry_that_is_put_before_a_damaged_one_is_seen(Tables tables) throws Exception {
        Table table = withLongValues(tables);
        for (boolean isReversed : new boolean[] {false, true}) {
            try (KVStore damaged = tables.afterDamage(file -> file.endsWith(".val"))) {
                Table found = damaged.table(table.database(), table.name());
                List<Integer> whole = readable(found);
                int before = firstRotten(whole, isReversed) + (isReversed ? 1 : -1);
                Walked walked = walk(found, isReversed, () -> found.put(Codecs.INT.encode(before), new byte[1]));
                assertEquals(200 - whole.size(), walked.failures());
                whole.add(before);
                whole.sort(isReversed ? Comparator.reverseOrder() : Comparator.naturalOrder());
                assertEquals(whole, walked.seen());
            }
        }
    }

    /** A table with the 200 even keys from 0 on, whose values lie outside of their entries. */
    private static Table withLongValues(Tables tables) {
        Table table = tables.next(withoutLog());
        for (int i = 0; i < 200; i++) {
            table.put(Codecs.INT.encode(2 * i), new byte[1_000]);
        }
        table.flush();
        return table;
    }

    private static List<Integer> readable(Table table) {
        TableMap<Integer, byte[]> map = TableMap.of(table, Codecs.INT, Codecs.BYTES);
        List<Integer> whole = new ArrayList<>();
        for (int key = 0; key < 400; key += 2) {
            if (isReadable(map, key)) {
                whole.add(key);
            }
        }
        assertTrue(whole.size() < 200, "nothing is damaged");
        return whole;
    }

    private static int firstRotten(List<Integer> whole, boolean isReversed) {
        IntStream rotten = IntStream.range(0, 200).map(i -> 2 * i).filter(key -> !whole.contains(key));
        return (isReversed ? rotten.max() : rotten.min()).orElseThrow();
    }

    private record Walked(List<Integer> seen, int failures) {}

    /** Walks over a table, and changes it before the first look for a key. */
    private static Walked walk(Table table, boolean isReversed, Runnable change) {
        AtomicBoolean changed = new AtomicBoolean();
        KeyRange all = isReversed ? KeyRange.all().reverse() : KeyRange.all();
        EntryPages pages = new EntryPages(
                range -> {
                    if (range.keysOnly() && changed.compareAndSet(false, true)) {
                        change.run();
                    }
                    return table.scan(range);
                },
                all);
        List<Integer> seen = new ArrayList<>();
        int failures = 0;
        while (failures <= 200 && pages.hasNext()) {
            try {
                seen.add(Codecs.INT.decode(pages.next().key()));
            } catch (CorruptionException e) {
                failures++;
            }
        }
        assertTrue(changed.get(), "no damage was found");
        return new Walked(seen, failures);
    }

    /** Nobody knows which key would be next. */
    @EachEngine
    void a_walk_ends_at_damaged_keys(Tables tables) throws Exception {
        Table table = tables.next(withoutLog());
        TableMap<Integer, Integer> map = map(table, MANY);
        table.flush();
        try (KVStore damaged = tables.afterDamage(file -> file.endsWith(".sst") || file.endsWith("/PAGES"))) {
            Iterator<Integer> keys = TableMap.of(damaged.table(table.database(), table.name()), Codecs.INT, Codecs.INT)
                    .keySet()
                    .iterator();
            int seen = 0;
            int failures = 0;
            while (failures < 3 && keys.hasNext()) {
                try {
                    assertEquals(seen, keys.next());
                    seen++;
                } catch (CorruptionException e) {
                    failures++;
                }
            }
            assertEquals(1, failures);
            assertTrue(seen < MANY);
            assertThrows(NoSuchElementException.class, keys::next);
            assertEquals(map.size(), MANY);
        }
    }

    private static Properties withoutLog() {
        Properties properties = new Properties();
        properties.put(TableConfParamsEnum.ENABLE_WAL, "false");
        return properties;
    }

    @EachEngine
    void remove_and_set_value_write_through(Tables tables) {
        TableMap<Integer, Integer> map = map(tables.next(), 200);
        for (Iterator<Map.Entry<Integer, Integer>> entries = map.entrySet().iterator(); entries.hasNext(); ) {
            Map.Entry<Integer, Integer> entry = entries.next();
            if (entry.getKey() % 2 == 0) {
                entries.remove();
            } else {
                assertEquals(entry.getKey(), entry.setValue(-entry.getKey()));
                assertEquals(-entry.getKey(), entry.getValue());
            }
        }
        assertEquals(100, map.size());
        map.forEach((key, value) -> assertEquals(-key, value));
    }

    /** By key, whatever the value is meanwhile. */
    @EachEngine
    void remove_is_unconditional_and_only_once(Tables tables) {
        TableMap<Integer, Integer> map = map(tables.next(), 3);
        Iterator<Integer> values = map.values().iterator();
        assertThrows(IllegalStateException.class, values::remove);
        values.next();
        map.set(0, 77);
        assertTrue(values.hasNext());
        values.remove();
        assertThrows(IllegalStateException.class, values::remove);
        assertNull(map.get(0));
        assertEquals(1, values.next());
    }

    /** The array that a program has got is its own. */
    @EachEngine
    void keys_that_are_arrays_may_be_changed(Tables tables) {
        TableMap<byte[], Integer> map = TableMap.of(tables.next(), Codecs.BYTES, Codecs.INT);
        for (int i = 0; i < 100; i++) {
            map.set(new byte[] {(byte) i}, i);
        }
        int found = 0;
        for (Map.Entry<byte[], Integer> entry : map.entrySet()) {
            assertEquals(found++, entry.getKey()[0]);
            entry.getKey()[0] = (byte) 0xFF;
            entry.setValue(0);
        }
        assertEquals(100, found);
        assertEquals(100, map.size());
        assertEquals(List.of(0), map.values().stream().distinct().toList());
    }

    /** 1,024 values of a megabyte each would not be a page. */
    @EachEngine
    void a_page_of_long_values_is_short(Tables tables) {
        TableMap<Integer, byte[]> map = TableMap.of(tables.next(), Codecs.INT, Codecs.BYTES);
        byte[] value = new byte[EntryPages.PAGE_BYTES / 4];
        for (int i = 0; i < 20; i++) {
            map.set(i, value);
        }
        Iterator<Map.Entry<Integer, byte[]>> entries = map.entrySet().iterator();
        entries.next();
        map.remove(3);
        map.remove(4);
        List<Integer> rest = new ArrayList<>();
        entries.forEachRemaining(entry -> rest.add(entry.getKey()));
        assertEquals(3, rest.get(2), "four make a page");
        assertEquals(5, rest.get(3));
        assertEquals(18, rest.size());
    }
}
