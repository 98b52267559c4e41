package io.kvstore.hash.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.Sweeps;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DirectoryTest {

    private static final int STEPS = Sweeps.count(80_000, 400_000);
    private static final int STEPS_A_CHECK = STEPS / 8;

    /** Its home line is not the first one in a page of some lines. */
    private static final long MIDDLE = 0xA123_4567_0000_0003L;

    private final MemoryBudget budget = new MemoryBudget(1L << 30);

    @ParameterizedTest
    @CsvSource({"64, 20000", "32, 3000", "6, 20000", "3, 2000", "1, 600"})
    void many_steps_agree_with_a_map(int hashBits, int keys) {
        SplittableRandom random = new SplittableRandom(hashBits);
        try (KeyedIndex index = new KeyedIndex(budget, hashBits)) {
            for (int step = 1; step <= STEPS; step++) {
                int key = random.nextInt(keys);
                boolean grows = step / (STEPS / 4) % 2 == 0; // fill, empty, fill, empty
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> index.checkFound(key);
                    case 3 -> putOrRemove(index, key, true);
                    case 4 -> putOrRemove(index, key, false);
                    default -> putOrRemove(index, key, grows);
                }
                if (step % STEPS_A_CHECK == 0) {
                    index.check();
                }
            }
            index.checkAllFound();
        }
        assertEquals(0, budget.usedBytes());
    }

    private static void putOrRemove(KeyedIndex index, int key, boolean isPut) {
        if (isPut) {
            assertEquals(Room.RESERVED, index.put(key));
        } else {
            index.remove(key);
        }
    }

    @Test
    void forty_thousand_keys_fit_with_a_hash_of_6_bits() {
        try (KeyedIndex index = new KeyedIndex(budget, 6)) {
            for (int key = 0; key < 40_000; key++) {
                assertEquals(Room.RESERVED, index.put(key));
            }
            index.check();
            assertTrue(index.index.statistics().load() > 0.5);
        }
    }

    @Test
    void too_many_keys_of_one_hash_are_refused_and_nothing_changes() {
        try (Directory index = new Directory(budget)) {
            Map<Long, Long> expected = new HashMap<>();
            long place = 1;
            for (; index.reserve(7) == Room.RESERVED; place++) {
                index.insert(7, place);
                expected.put(place, 7L);
            }
            assertEquals(Room.TOO_MANY_OF_ONE_HASH, index.reserve(7));
            assertEquals(PageSizes.MOST_LINES * PageMemory.LINE_WORDS, expected.size());
            IndexCheck.check(index, expected);
            assertEquals(Room.TOO_MANY_OF_ONE_HASH, index.reserve(new long[] {-7, 7}, 2));
            IndexCheck.check(index, expected);
            assertThrows(IllegalStateException.class, () -> index.cancel(-7));
            assertEquals(Room.RESERVED, index.reserve(-7)); // a hash that begins otherwise has a page of its own
            index.insert(-7, place);
            expected.put(place, -7L);
            IndexCheck.check(index, expected);
            assertTrue(index.remove(7, 1));
            assertEquals(Room.RESERVED, index.reserve(7));
        }
    }

    /** Only the last of the 32 bits differs, so a directory that parts them would have 2^32 words. */
    @Test
    void hashes_that_begin_alike_do_not_double_the_directory_without_end() {
        try (Directory index = new Directory(budget)) {
            Map<Long, Long> expected = new HashMap<>();
            for (long place = 1; place <= 900; place++) {
                long hash = ((place % 2) << Integer.SIZE) | (place % 5);
                assertEquals(Room.RESERVED, index.reserve(hash));
                index.insert(hash, place);
                expected.put(place, hash);
            }
            IndexCheck.check(index, expected);
            assertTrue(index.statistics().pageBytes() < 900 * 40);
            assertTrue(index.statistics().pages() < 16);
        }
    }

    @Test
    void two_keys_of_one_tag_in_one_page_are_two_entries() {
        try (KeyedIndex index = new KeyedIndex(budget, 64)) {
            Map<Long, Integer> byTag = new HashMap<>();
            int first = -1;
            int second = -1;
            for (int key = 0; second < 0; key++) {
                Integer other = byTag.put(EntryWord.tag(EntryWord.of(index.hash(key), 1)), key);
                if (other != null) {
                    first = other;
                    second = key;
                }
            }
            assertEquals(Room.RESERVED, index.put(first));
            assertEquals(Room.RESERVED, index.put(second));
            assertEquals(1, index.index.statistics().pages());
            index.check();
            index.checkAllFound();
            index.put(first);
            index.remove(second);
            index.checkFound(first);
            index.checkFound(second);
            index.check();
        }
    }

    @Test
    void an_entry_with_tag_0_and_segment_0_is_not_taken_for_a_free_word() {
        try (Directory index = new Directory(budget)) {
            assertEquals(Room.RESERVED, index.reserve(0));
            index.insert(0, 1);
            assertEquals(1, index.find(0, place -> true));
            assertEquals(Room.RESERVED, index.reserve(0));
            for (long noPlace : new long[] {0, 1L << EntryWord.OFFSET_BITS, 1L << 44, -1}) {
                assertThrows(IllegalArgumentException.class, () -> index.insert(0, noPlace));
                assertThrows(IllegalArgumentException.class, () -> index.replace(0, 1, noPlace));
                assertThrows(IllegalArgumentException.class, () -> index.contains(0, noPlace));
            }
            assertEquals(1, index.entries());
            index.cancel(0);
            assertThrows(IllegalStateException.class, () -> index.cancel(0));
            assertThrows(IllegalStateException.class, () -> index.insert(0, 1));
        }
    }

    @Test
    void an_empty_index_finds_nothing_and_has_no_memory() {
        try (Directory index = new Directory(budget)) {
            assertEquals(Directory.ABSENT, index.find(5, place -> true));
            HomeLines read = new HomeLines(1);
            index.read(new long[] {5}, 1, read);
            assertEquals(Directory.ABSENT, index.findFitting(read, 0));
            assertFalse(index.contains(5, 1));
            assertFalse(index.remove(5, 1));
            assertFalse(index.replace(5, 1, 2));
            assertEquals(0, index.statistics().takenBytes());
            assertEquals(0, index.statistics().load());
            assertEquals(0, budget.usedBytes());
        }
    }

    /** A check that removes or replaces the entry that it is shown does what another thread may do at that moment. */
    @Test
    void an_entry_that_is_replaced_while_it_is_checked_is_found_at_its_new_place() {
        try (Directory index = new Directory(budget)) {
            assertEquals(Room.RESERVED, index.reserve(9));
            index.insert(9, 1);
            assertEquals(2, index.find(9, place -> place == 2 || !index.replace(9, 1, 2)));
            assertEquals(Directory.ABSENT, index.find(9, place -> !index.remove(9, 2)));
        }
    }

    /** Two keys of one hash. While the reader is shown the first one, the memory of their page becomes that of others. */
    @Test
    void a_reader_whose_page_was_replaced_meanwhile_looks_again() {
        SplittableRandom random = new SplittableRandom(7);
        try (Directory index = new Directory(budget)) {
            for (long place = 1; place <= 2; place++) {
                assertEquals(Room.RESERVED, index.reserve(MIDDLE));
                index.insert(MIDDLE, place);
            }
            long[] places = {2};
            PlaceCheck check = place -> {
                while (places[0] < 500) {
                    long hash = random.nextLong();
                    assertEquals(Room.RESERVED, index.reserve(hash));
                    index.insert(hash, ++places[0]);
                }
                return place == 2;
            };
            assertEquals(2, index.find(MIDDLE, check));
        }
    }

    /** Lines are read once for many hashes. What is inserted first changes the lines of the others, or replaces their page. */
    @ParameterizedTest
    @CsvSource({"64", "32", "4"})
    void entries_whose_lines_were_read_before_agree_with_a_map(int hashBits) {
        SplittableRandom random = new SplittableRandom(hashBits);
        HomeLines read = new HomeLines(16);
        long[] hashes = new long[16];
        try (Directory index = new Directory(budget)) {
            Map<Long, Long> expected = new HashMap<>();
            Map<Long, Long> places = new HashMap<>();
            long place = 0;
            for (int batch = 0; batch < 2_500 / (hashBits == 4 ? 10 : 1); batch++) {
                for (int i = 0; i < hashes.length; i++) {
                    hashes[i] = random.nextLong() & (-1L << -hashBits) & (batch % 2 == 0 ? -1L : -1L << 55);
                }
                assertEquals(Room.RESERVED, index.reserve(hashes, hashes.length));
                index.read(hashes, hashes.length, read);
                for (int i = 0; i < hashes.length; i++) {
                    boolean isKnown = places.containsKey(hashes[i]);
                    assertTrue(!isKnown || index.find(hashes[i], any -> true) != Directory.ABSENT);
                    assertTrue(i > 0 || !isKnown || index.findFitting(read, i) != Directory.ABSENT);
                    place++;
                    index.insert(read, i, place);
                    expected.put(place, hashes[i]);
                    places.put(hashes[i], place);
                }
                if (batch % 100 == 0) {
                    IndexCheck.check(index, expected);
                }
            }
            IndexCheck.check(index, expected);
            assertThrows(IllegalStateException.class, () -> index.insert(read, 0, 1));
        }
    }

    @Test
    void copies_of_all_pages_have_each_entry_once_and_in_order() {
        try (KeyedIndex index = new KeyedIndex(budget, 64)) {
            for (int key = 0; key < 30_000; key++) {
                index.put(key);
            }
            for (int key = 0; key < 30_000; key += 3) {
                index.remove(key);
            }
            Map<Long, Long> copied = new HashMap<>();
            PageCopy copy = new PageCopy();
            long last = 0;
            int pages = 0;
            for (long prefix = 0; prefix < PageCopy.END; prefix = copy.next()) {
                index.index.copy(prefix, copy);
                pages++;
                for (int i = 0; i < copy.count(); i++) {
                    assertTrue(Long.compareUnsigned(last >>> Integer.SIZE, copy.hash(i) >>> Integer.SIZE) <= 0);
                    last = copy.hash(i);
                    assertEquals(null, copied.put(copy.place(i), copy.hash(i)));
                }
            }
            Map<Long, Long> expected = index.expected();
            expected.replaceAll((place, hash) -> IndexCheck.known(hash));
            assertEquals(expected, copied);
            assertEquals(index.index.statistics().pages(), pages);
            index.index.copy(PageCopy.END / 2 - 1, copy); // a prefix in the midst of a page
            assertEquals(PageCopy.END / 2, copy.next());
            checkRestored(copied);
        }
    }

    /** What the index gives of a hash is enough to make the index again. */
    private void checkRestored(Map<Long, Long> copied) {
        try (Directory restored = new Directory(budget)) {
            copied.forEach((place, hash) -> {
                assertEquals(Room.RESERVED, restored.reserve(hash));
                restored.insert(hash, place);
            });
            IndexCheck.check(restored, copied);
        }
    }
}
