package io.kvstore.hash.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.MemoryBudget.Use;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BulkChangesTest {

    private final MemoryBudget budget = new MemoryBudget(1L << 30);

    /** Changes of an index beside a map that gets the same. */
    private static final class Filled implements AutoCloseable {

        private final Directory index;
        private final BulkChanges changes;
        private final SplittableRandom random;
        private final int hashBits;

        /** The hash of each place, and the places in the order in which they came. */
        private final Map<Long, Long> expected = new HashMap<>();

        private final List<Long> places = new ArrayList<>();
        private long next = 1;

        Filled(MemoryBudget budget, int hashBits, long entries) {
            this.index = new Directory(budget, entries);
            this.changes = new BulkChanges(index);
            this.random = new SplittableRandom(hashBits);
            this.hashBits = hashBits;
        }

        private long newHash() {
            return random.nextLong() & (-1L << -hashBits);
        }

        private static int prefix(long hash) {
            return (int) (hash >>> Integer.SIZE);
        }

        void add(int prefix, long old, long added, long expectedEntries) {
            if (!changes.tryMakeRoom()) {
                assertEquals(Room.RESERVED, changes.apply(expectedEntries));
            }
            changes.add(prefix, old, added);
        }

        /** One change: of a new key, of a key that is there, a removal, or one that was made before. */
        void step(long expectedEntries) {
            int kind = random.nextInt(10);
            if (kind < 5 || places.isEmpty()) {
                long hash = newHash();
                add(prefix(hash), 0, come(hash), expectedEntries);
                return;
            }
            long place = places.get(random.nextInt(places.size()));
            Long hash = expected.get(place);
            if (kind == 5) { // a place that is there comes again, or one that is gone goes again
                long known = hash == null ? 0 : hash;
                add(prefix(known), hash == null ? EntryWord.of(0, place) : 0, hash == null ? 0 : word(known, place), 0);
            } else if (hash != null) {
                expected.remove(place);
                add(prefix(hash), word(hash, place), kind < 8 ? come(hash) : 0, expectedEntries);
            }
        }

        private long come(long hash) {
            long place = next++;
            expected.put(place, hash);
            places.add(place);
            return word(hash, place);
        }

        private static long word(long hash, long place) {
            return EntryWord.of(hash, place);
        }

        void check() {
            assertEquals(Room.RESERVED, changes.apply(expected.size()));
            IndexCheck.check(index, expected);
        }

        @Override
        public void close() {
            index.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"64, 400000", "32, 60000", "12, 60000", "6, 20000", "1, 600"})
    void changes_in_any_order_agree_with_a_map(int hashBits, int steps) {
        try (Filled filled = new Filled(budget, hashBits, steps / 3)) {
            for (int step = 1; step <= steps; step++) {
                filled.step(steps / 3);
                if (step % (steps / 4) == 0) {
                    filled.check();
                }
            }
        }
    }

    @Test
    void an_index_that_is_filled_takes_as_much_memory_as_one_that_grew() {
        int keys = 1_500_000;
        try (Filled filled = new Filled(budget, 64, keys)) {
            for (int key = 0; key < keys; key++) {
                long hash = filled.newHash();
                filled.add(Filled.prefix(hash), 0, filled.come(hash), keys);
            }
            filled.check();
            IndexStatistics now = filled.index.statistics();
            assertTrue(now.pageBytes() < 17.0 * keys, () -> now.toString());
            assertTrue(now.takenBytes() < 20.0 * keys, () -> now.toString());
            assertTrue(now.movedEntries() < 2L * keys, () -> now.toString());
        }
    }

    /** A page has room for 512 entries, and far more changes come to each of these keys. */
    @Test
    void a_few_keys_that_change_often() {
        int keys = 16;
        try (Filled filled = new Filled(budget, 64, keys)) {
            overwrite(filled, keys, 5_000);
            filled.check();
            IndexStatistics now = filled.index.statistics();
            assertTrue(now.pageBytes() < 10_000, () -> now.toString());
        }
    }

    @Test
    void an_index_takes_no_more_memory_because_its_keys_were_overwritten() {
        int keys = 400_000;
        try (Filled once = new Filled(budget, 64, keys);
                Filled often = new Filled(budget, 64, keys)) {
            overwrite(once, keys, 1);
            overwrite(often, keys, 3);
            once.check();
            often.check();
            long least = once.index.statistics().pageBytes();
            IndexStatistics now = often.index.statistics();
            assertTrue(now.pageBytes() < 1.1 * least, () -> now + ", and " + least + " bytes before");
        }
    }

    /** Gives each key many places, one after the other. */
    private static void overwrite(Filled filled, int keys, int times) {
        long[] hashes = new long[keys];
        long[] last = new long[keys];
        for (int time = 0; time < times; time++) {
            for (int key = 0; key < keys; key++) {
                if (time == 0) {
                    hashes[key] = filled.newHash();
                } else {
                    filled.expected.remove(EntryWord.place(last[key]));
                }
                long word = filled.come(hashes[key]);
                filled.add(Filled.prefix(hashes[key]), last[key], word, keys);
                last[key] = word;
            }
        }
    }

    /** More entries are said to come than memory has room for. Those that come fit, to the last word. */
    @Test
    void memory_is_not_refused_because_more_was_expected() {
        try (Filled filled = new Filled(budget, 64, 0)) {
            leaveRoom(PageMemory.LINE_BYTES * 2_000L);
            for (int key = 0; key < 5_000; key++) {
                long hash = filled.newHash();
                filled.changes.add(Filled.prefix(hash), 0, filled.come(hash));
                assertTrue(filled.changes.tryMakeRoom());
            }
            assertEquals(Room.RESERVED, filled.changes.apply(1_000_000));
            IndexCheck.check(filled.index, filled.expected);
            for (int key = 0; key < 20_000; key++) {
                long hash = filled.newHash();
                filled.changes.add(Filled.prefix(hash), 0, filled.come(hash));
                assertTrue(filled.changes.tryMakeRoom());
            }
            assertEquals(Room.NO_MEMORY, filled.changes.apply(25_000));
        }
    }

    private void leaveRoom(long bytes) {
        long room = 0;
        for (long step = budget.totalBytes(); step > 0; step /= 2) {
            room += budget.hasRoom(Use.HASH_INDEX, room + step) ? step : 0;
        }
        budget.take(Use.VALUE_TAIL, room - bytes);
    }
}
