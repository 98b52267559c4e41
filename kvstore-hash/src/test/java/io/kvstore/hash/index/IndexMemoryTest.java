package io.kvstore.hash.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyHash;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.MemoryBudget.Use;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

final class IndexMemoryTest {

    private static final long BUDGET_BYTES = 64 << 20;

    private final MemoryBudget budget = new MemoryBudget(BUDGET_BYTES);

    @Test
    void a_key_takes_16_to_17_bytes_of_pages(TestReporter reporter) {
        SplittableRandom random = new SplittableRandom(1);
        try (Directory index = new Directory(budget)) {
            double nextSample = 2_500;
            for (long key = 1; key <= 1_500_000; key++) {
                insert(index, random.nextLong(), key);
                if (key >= nextSample) {
                    IndexStatistics now = index.statistics();
                    double pageBytes = (double) now.pageBytes() / key;
                    double takenBytes = (double) now.takenBytes() / key;
                    reporter.publishEntry(key + " keys", pageBytes + " bytes a key, " + takenBytes + " taken: " + now);
                    assertTrue(pageBytes > 15.5 && pageBytes < 17, () -> now.toString());
                    assertTrue(takenBytes < (key < 100_000 ? 30 : 22), () -> now.toString());
                    nextSample *= 1.1;
                }
            }
        }
    }

    private static void insert(Directory index, long hash, long place) {
        assertEquals(Room.RESERVED, index.reserve(hash));
        index.insert(hash, place);
    }

    @Test
    void a_small_table_takes_a_few_kibibytes() {
        SplittableRandom random = new SplittableRandom(2);
        try (Directory index = new Directory(budget)) {
            for (long key = 1; key <= 100; key++) {
                insert(index, random.nextLong(), key);
            }
            IndexStatistics now = index.statistics();
            assertTrue(now.pageBytes() <= 2_400, () -> now.toString());
            assertTrue(now.takenBytes() <= 5_000, () -> now.toString());
        }
    }

    @Test
    void the_first_line_needs_96_bytes_and_no_more() {
        for (int more = -1; more <= 1; more++) {
            try (Directory index = new Directory(budget)) {
                long others = roomBytes() - PageMemory.LINE_BYTES - more;
                budget.take(Use.VALUE_TAIL, others);
                assertEquals(more < 0 ? Room.NO_MEMORY : Room.RESERVED, index.reserve(5));
                assertEquals(more < 0 ? 0 : PageMemory.LINE_BYTES, taken());
                assertEquals(taken(), index.statistics().takenBytes());
                budget.release(Use.VALUE_TAIL, others);
                assertEquals(Room.RESERVED, index.reserve(5));
            }
            assertEquals(0, budget.usedBytes());
        }
    }

    /** The most bytes that the index can take now. */
    private long roomBytes() {
        long room = 0;
        for (long step = BUDGET_BYTES; step > 0; step /= 2) {
            room += budget.hasRoom(Use.HASH_INDEX, room + step) ? step : 0;
        }
        return room;
    }

    private long taken() {
        return budget.usedByUse().getOrDefault(Use.HASH_INDEX, 0L);
    }

    /** A table without memory fills its pages to the last word, is refused then, and goes on when there is memory again. */
    @Test
    void a_refused_reservation_changes_nothing() {
        try (KeyedIndex index = new KeyedIndex(budget, 64)) {
            int key = fill(index, 0, 20_000);
            long others = BUDGET_BYTES - budget.usedBytes();
            budget.take(Use.VALUE_TAIL, others);
            while (index.put(key) == Room.RESERVED) {
                key++;
            }
            index.check();
            index.checkAllFound();
            assertTrue(
                    index.index.statistics().load() > 0.7,
                    () -> index.index.statistics().toString());
            IndexStatistics before = index.index.statistics();
            assertEquals(Room.NO_MEMORY, index.put(key));
            assertEquals(before, index.index.statistics());
            assertEquals(before.takenBytes(), taken());
            index.remove(0);
            index.check();
            budget.release(Use.VALUE_TAIL, others);
            fill(index, key, key + 20_000);
            index.check();
            index.checkAllFound();
            assertEquals(taken(), index.index.statistics().takenBytes());
        }
        assertEquals(0, budget.usedBytes());
    }

    private static int fill(KeyedIndex index, int from, int to) {
        for (int key = from; key < to; key++) {
            assertEquals(Room.RESERVED, index.put(key));
        }
        return to;
    }

    @Test
    void a_batch_gets_room_for_all_or_for_none() {
        for (int bits : new int[] {64, 6, 2}) {
            try (KeyedIndex index = new KeyedIndex(budget, bits)) {
                int count = bits == 2 ? 2_000 : 20_000;
                long[] hashes = new long[count];
                for (int key = 0; key < count; key++) {
                    hashes[key] = index.hash(key);
                }
                assertEquals(Room.RESERVED, index.index.reserve(hashes, count));
                index.check();
                long others = BUDGET_BYTES - budget.usedBytes();
                budget.take(Use.VALUE_TAIL, others); // what was promised needs no memory
                for (int key = count - 1; key >= 0; key--) {
                    index.putReserved(key);
                }
                index.check();
                index.checkAllFound();
                IndexStatistics before = index.index.statistics();
                Room room = index.index.reserve(hashes, count);
                assertTrue(room == Room.NO_MEMORY || room == Room.TOO_MANY_OF_ONE_HASH);
                assertEquals(before.entries(), index.index.entries());
                index.check();
                budget.release(Use.VALUE_TAIL, others);
            }
            assertEquals(0, budget.usedBytes());
        }
    }

    @Test
    void a_machine_without_memory_is_as_a_budget_without_memory() {
        int[] left = {1};
        Directory directory = new Directory(
                budget,
                (arena, bytes) -> {
                    if (left[0] <= 0) {
                        throw new OutOfMemoryError("no memory, for a test");
                    }
                    left[0]--;
                    return arena.allocate(bytes, PageMemory.WORD_BYTES);
                },
                0);
        try (KeyedIndex index = new KeyedIndex(directory, new TableHash(new KeyHash(3)))) {
            int key = 0;
            for (int pieces = 1; pieces < 12; pieces++) {
                left[0] = 1;
                while (index.put(key) == Room.RESERVED) {
                    key++;
                }
                assertEquals(0, left[0]);
                assertEquals(Room.NO_MEMORY, index.put(key));
                assertEquals(taken(), directory.statistics().takenBytes());
                index.check();
                index.checkAllFound();
            }
        }
        assertEquals(0, budget.usedBytes());
    }

    @Test
    void room_that_is_given_up_is_not_kept() {
        try (Directory index = new Directory(budget)) {
            Map<Long, Long> expected = new HashMap<>();
            for (long hash = 0; hash < 100_000; hash++) {
                assertEquals(Room.RESERVED, index.reserve(hash << 45));
                index.cancel(hash << 45);
            }
            IndexCheck.check(index, expected);
            assertEquals(1, index.statistics().lines());
        }
    }
}
