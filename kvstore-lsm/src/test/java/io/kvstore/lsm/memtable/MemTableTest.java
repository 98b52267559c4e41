package io.kvstore.lsm.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyHash;
import io.kvstore.data.KeyHead;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.Mutation;
import io.kvstore.engine.TableContext;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.lsm.options.SeparatedValues;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.Seeds;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.ValueLog;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MemTableTest {

    private final MemoryBudget budget = new MemoryBudget(64L << 20);

    private record Version(byte[] key, long lsn) {
        static final Comparator<Version> ORDER = Comparator.comparing(Version::key, KeyOrder.COMPARATOR)
                .thenComparing(Version::lsn, Comparator.reverseOrder());
    }

    private static final long ONE_RUN = Long.MAX_VALUE;
    private static final long MANY_RUNS = 1 << 14;

    /** A run grows on if so many searches came. */
    private static final int MANY_SEARCHES = 1_000;

    private MemTable table() {
        return table(ONE_RUN);
    }

    private MemTable table(long runBytes) {
        return table(budget, 1 << 14, runBytes);
    }

    private static MemTable table(MemoryBudget memory, int chunkBytes, long runBytes) {
        return table(memory, chunkBytes, runBytes, Integer.MAX_VALUE);
    }

    private static MemTable table(MemoryBudget memory, int chunkBytes, long runBytes, int apartFromBytes) {
        StepClock clock = new StepClock();
        TableContext context = LoneTable.on(new SimStorage(), memory, clock, new StepBackground(clock));
        ValueLog log = new ValueLog(context, 1 << 20, () -> 1);
        HashIndex known = new HashIndex(memory, 0, new KeyHash(7));
        MemTable table = new MemTable(
                new MemTableMemory(memory, true),
                chunkBytes,
                runBytes,
                new SeparatedValues(apartFromBytes, log, known));
        table.retain();
        return table;
    }

    private static void write(MemTable table, long lsn, Mutation... mutations) {
        assertTrue(table.reserve(List.of(mutations), false));
        table.apply(lsn, List.of(mutations));
    }

    @Test
    void a_first_reservation_that_is_cancelled_leaves_no_trace() throws IOException {
        MemTable table = table();
        assertTrue(table.reserve(List.of(new Mutation.Put(new byte[] {1}, new byte[10])), false));
        List<Mutation> large = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            large.add(new Mutation.Put(new byte[] {2, (byte) i}, new byte[10]));
        }
        write(table, 1, new Mutation.Put(new byte[4_000], new byte[10]));
        write(table, 2, large.toArray(Mutation[]::new));
        for (int i = 0; i < 2_000; i++) {
            write(table, 3 + i, new Mutation.Put(new byte[] {3, (byte) (i >> 8), (byte) i}, new byte[10]));
        }
        assertEquals(2_041, table.entries());
        int walked = 0;
        EntryCursor cursor = table.cursor(false);
        for (boolean more = cursor.seek(null, true); more; more = cursor.advance()) {
            walked++;
        }
        assertEquals(2_041, walked);
    }

    /** 59 records of 1,024 bytes and one of 1,023, 1,024 or 1,025: six times 10,240 bytes is the limit. */
    @ParameterizedTest
    @CsvSource({"-1, false", "0, true", "1, true"})
    void values_apart_make_a_memtable_full(int more, boolean isFull) {
        MemTable table = table(budget, 1 << 14, ONE_RUN, 256);
        int length = 1 << 10;
        for (int i = 1; i <= 60; i++) {
            byte[] key = {(byte) i};
            int valueLength = length - (int) new ValuePointer(1, 0, 0).recordBytes(key.length);
            write(table, i, new Mutation.Put(key, new byte[i == 60 ? valueLength + more : valueLength]));
        }
        assertEquals(isFull, table.isFull(10 << 10, 60 << 10));
        table.release();
    }

    @Test
    void agrees_with_a_sorted_map_of_versions() {
        Seeds.each(1, 30, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            MemTable table = table(seed % 2 == 0 ? ONE_RUN : MANY_RUNS);
            wantOrder(table, seed % 4 < 2);
            TreeMap<Version, byte[]> model = new TreeMap<>(Version.ORDER);
            for (long lsn = 1; lsn < 400; lsn += random.nextInt(1, 4)) {
                List<Mutation> batch = new ArrayList<>();
                for (int i = random.nextInt(1, 5); i > 0; i--) {
                    batch.add(random(random));
                }
                write(table, lsn, batch.toArray(Mutation[]::new));
                for (Mutation mutation : batch) {
                    byte[] value = mutation instanceof Mutation.Put put ? put.value() : new byte[] {1, 2, 3, 4, 5};
                    model.put(new Version(mutation.key(), lsn), value);
                }
            }
            assertEquals(model.size(), table.entries());
            for (byte[] bound : List.of(
                    new byte[0],
                    new byte[] {3},
                    random(random).key(),
                    random(random).key())) {
                for (boolean inclusive : new boolean[] {true, false}) {
                    Version least = new Version(bound, inclusive ? Long.MAX_VALUE : -1);
                    check(model.tailMap(least), table.cursor(false), bound, inclusive);
                    Version most = new Version(bound, inclusive ? -1 : Long.MAX_VALUE);
                    check(model.headMap(most, false).descendingMap(), table.cursor(true), bound, inclusive);
                }
            }
            check(model, table.cursor(false), null, true);
            check(model.descendingMap(), table.cursor(true), null, true);
            table.release();
        });
        assertEquals(0, budget.usedBytes());
    }

    /** What is added from the second operation on goes to a tree if somebody walked over what is there. */
    private static void wantOrder(MemTable table, boolean isWanted) {
        if (isWanted) {
            assertNotNull(table.cursor(false));
        }
    }

    /** Keys that differ around the eighth byte, where the head ends, and in trailing zeros; some are longer than two words. */
    private static Mutation random(SplittableRandom random) {
        byte[] key = new byte[random.nextInt(0, 30)];
        if (key.length > KeyHead.BYTES) {
            key[KeyHead.BYTES] = (byte) (random.nextInt(2) * 0x80);
        }
        for (int i = Math.max(0, key.length - 3); i < key.length; i++) {
            key[i] = (byte) (random.nextInt(3) * 0x80);
        }
        if (random.nextInt(4) == 0) {
            return new Mutation.Remove(key);
        }
        byte[] value = new byte[random.nextInt(20) == 0 ? random.nextInt(40_000) : random.nextInt(100)];
        random.nextBytes(value);
        return new Mutation.Put(key, value);
    }

    private static void check(
            Map<Version, byte[]> expected, EntryCursor cursor, byte @Nullable [] bound, boolean inclusive)
            throws IOException {
        boolean more = cursor.seek(bound, inclusive);
        for (var entry : expected.entrySet()) {
            assertTrue(more);
            assertArrayEquals(entry.getKey().key(), cursor.key().toArray());
            assertEquals(entry.getKey().lsn(), cursor.lsn());
            if (cursor.kind() == EntryKind.INLINE) {
                byte[] array = cursor.valueArray();
                assertEquals(0, cursor.valueOffset());
                assertArrayEquals(entry.getValue(), Arrays.copyOf(array, cursor.valueLength()));
            } else {
                assertArrayEquals(new byte[] {1, 2, 3, 4, 5}, entry.getValue());
                assertEquals(0, cursor.valueLength());
            }
            more = cursor.advance();
        }
        assertFalse(more);
    }

    @Test
    void last_mutation_of_a_key_in_a_batch_counts() throws IOException {
        MemTable table = table();
        byte[] key = {1};
        write(table, 5, new Mutation.Put(key, new byte[] {1}), new Mutation.Remove(key), new Mutation.Put(key, key));
        write(table, 6, new Mutation.Put(key, new byte[] {2}), new Mutation.Remove(key));
        assertEquals(2, table.entries());
        Lookup before = new Lookup(key, 5);
        table.find(before);
        assertArrayEquals(key, before.value());
        Lookup after = new Lookup(key, Long.MAX_VALUE);
        table.find(after);
        assertEquals(6, after.lsn());
        assertNull(after.value());
        table.release();
    }

    @Test
    void takes_no_memory_before_the_first_write_and_none_beyond_the_budget() {
        MemoryBudget small = new MemoryBudget(1 << 20);
        MemTable table = table(small, 1 << 16, ONE_RUN);
        assertEquals(0, small.usedBytes());
        assertTrue(table.isEmpty());
        List<Mutation> large = List.of(new Mutation.Put(new byte[1], new byte[2 << 20]));
        assertFalse(table.reserve(large, false));
        assertTrue(table.reserve(large, true));
        table.apply(1, large);
        assertTrue(small.usedBytes() > 2 << 20);
        assertEquals(small.usedBytes(), table.countedBytes());
        table.release();
        assertEquals(0, small.usedBytes());
    }

    /** Four levels of nodes, each way to grow, and batches whose nodes are reserved at once. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void many_entries_in_every_order(boolean isOrderWanted) throws IOException {
        int count = 60_000;
        for (int order = 0; order < 4; order++) {
            for (int batch : new int[] {1, 700}) {
                MemTable table = table(new MemoryBudget(1L << 30), 1 << 14, order % 2 == 0 ? ONE_RUN : 1 << 20);
                wantOrder(table, isOrderWanted);
                List<Mutation> gathered = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    gathered.add(new Mutation.Put(key(order, i, count), new byte[0]));
                    if (gathered.size() == batch || i == count - 1) {
                        write(table, i + 1, gathered.toArray(Mutation[]::new));
                        gathered.clear();
                    }
                }
                assertEquals(count, table.entries());
                assertEquals(count, walk(table, false));
                assertEquals(count, walk(table, true));
                for (int i = 0; i < count; i += 7) {
                    Lookup lookup = new Lookup(key(order, i, count), Long.MAX_VALUE);
                    table.find(lookup);
                    assertTrue(lookup.lsn() > i && lookup.lsn() <= i + batch, "entry " + i);
                }
                table.release();
            }
        }
    }

    /** Ascending, descending, without order, and descending between two halves that were there. */
    private static byte[] key(int order, int i, int count) {
        int number = switch (order) {
            case 0 -> i;
            case 1 -> count - i;
            case 2 -> Integer.reverse(i);
            default -> i < count / 2 ? 2 * count * (i % 2) + i : 2 * count - i;
        };
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static int walk(MemTable table, boolean reversed) throws IOException {
        EntryCursor cursor = table.cursor(reversed);
        byte @Nullable [] before = null;
        int steps = 0;
        for (boolean more = cursor.seek(null, true); more; more = cursor.advance()) {
            byte[] now = cursor.key().toArray();
            if (before != null) {
                int order = Arrays.compareUnsigned(before, now);
                assertTrue(reversed ? order > 0 : order < 0, "out of order after " + steps);
            }
            before = now;
            steps++;
        }
        return steps;
    }

    /** More versions than leaves hold, of one key among others: each view finds its own. */
    @Test
    void many_versions_of_one_key() throws IOException {
        findVersions(table(ONE_RUN), 1);
        findVersions(table(MANY_RUNS), 10);
        MemTable ordered = table(ONE_RUN);
        wantOrder(ordered, true);
        findVersions(ordered, 2);
    }

    private static void findVersions(MemTable table, int leastRuns) throws IOException {
        byte[] key = {5, 5};
        for (int lsn = 1; lsn <= 3_000; lsn++) {
            byte[] value = ByteBuffer.allocate(4).putInt(lsn).array();
            write(table, lsn, new Mutation.Put(lsn % 3 == 0 ? new byte[] {(byte) lsn} : key, value));
        }
        assertTrue(table.runCount() >= leastRuns, table.runCount() + " runs");
        for (int view = 1; view <= 3_000; view++) {
            Lookup lookup = new Lookup(key, view);
            table.find(lookup);
            int expected = view % 3 == 0 ? view - 1 : view;
            assertEquals(expected, lookup.lsn());
            assertArrayEquals(ByteBuffer.allocate(4).putInt(expected).array(), lookup.value());
        }
        table.release();
    }

    @Test
    void what_nobody_walks_over_is_in_no_order() throws IOException {
        MemTable table = table(ONE_RUN);
        for (int i = 1; i <= 100; i++) {
            write(table, i, new Mutation.Put(new byte[] {(byte) -i}, new byte[1]));
        }
        assertEquals(1, table.runCount());
        assertEquals(100, walk(table, false));
        write(table, 101, new Mutation.Put(new byte[2], new byte[1]));
        assertEquals(2, table.runCount(), "a tree");
        for (int i = 102; i <= 200; i++) {
            assertEquals(i - 1, walk(table, true));
            write(table, i, new Mutation.Put(new byte[] {0, (byte) -i}, new byte[1]));
        }
        assertEquals(2, table.runCount());
        table.release();
    }

    @Test
    void a_run_that_ended_unsorted_is_told_of_once() {
        MemTable table = table(MANY_RUNS);
        int lsn = 0;
        while (table.runCount() == 1) {
            assertFalse(table.takeUnsorted());
            lsn++;
            write(table, lsn, new Mutation.Put(new byte[] {(byte) lsn, (byte) (lsn >> 8)}, new byte[9]));
        }
        assertTrue(table.takeUnsorted());
        assertFalse(table.takeUnsorted());
        table.sort();
        table.release();
    }

    @Test
    void many_versions_of_one_key_are_in_order() {
        MemTable table = table(ONE_RUN);
        byte[] key = {7};
        for (int lsn = 1; lsn <= 65; lsn++) {
            write(table, lsn, new Mutation.Put(key, new byte[1]));
            assertEquals(1, table.runCount());
        }
        write(table, 66, new Mutation.Put(key, new byte[1]));
        assertEquals(2, table.runCount(), "64 are behind the newest one");
        table.release();
    }

    /** To search takes longer the more runs there are; to add to a large one takes longer than to a small one. */
    @Test
    void another_run_is_begun_when_one_is_large_unless_the_memtable_is_searched() throws IOException {
        int entries = entriesOfFirstRun(0);
        assertTrue(entries > 100, entries + " entries");
        assertEquals(entries, entriesOfFirstRun(MANY_SEARCHES - 1));
        int more = entriesOfFirstRun(MANY_SEARCHES);
        assertTrue(more > 1.5 * entries, more + " entries, " + entries + " without searches");
        assertTrue(more < 3 * entries, "it begins anew when nobody searches any more");
        assertEquals(more, entriesOfFirstRun(MANY_SEARCHES + 1));
    }

    private int entriesOfFirstRun(int searches) throws IOException {
        MemTable table = table(8 * MANY_RUNS);
        int entries = 0;
        while (table.runCount() == 1) {
            write(
                    table,
                    entries + 1,
                    new Mutation.Put(ByteBuffer.allocate(4).putInt(entries).array(), new byte[10]));
            for (int search = 0; entries == 0 && search < searches; search++) {
                table.find(new Lookup(new byte[1], 1));
            }
            entries++;
        }
        assertTrue(table.reserve(List.of(), false));
        assertEquals(2, table.runCount(), "one that has an entry is followed by another, and that is not large");
        table.release();
        return entries;
    }

    /** Small and large values in turn must not throw chunks away. */
    @Test
    void large_values_beside_small_ones_waste_little() {
        MemTable table = table();
        long bytes = 0;
        for (int i = 0; i < 200; i++) {
            int length = i % 2 == 0 ? 10 : 9_000;
            write(table, i + 1, new Mutation.Put(new byte[] {(byte) i}, new byte[length]));
            bytes += length;
        }
        assertTrue(table.takenBytes() < 2.1 * bytes, table.takenBytes() + " bytes for " + bytes);
        table.release();
    }

    /** Readers beside the writer see, of every key, versions that never go back, whole values, and keys in order. */
    @Test
    void readers_beside_the_writer() throws Exception {
        readBeside(table(ONE_RUN));
        readBeside(table(MANY_RUNS));
        MemTable ordered = table(MANY_RUNS);
        wantOrder(ordered, true);
        readBeside(ordered);
    }

    private static void readBeside(MemTable table) throws Exception {
        int keys = 50;
        int rounds = 400;
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> readers = new ArrayList<>();
        for (int r = 0; r < 3; r++) {
            boolean reversed = r == 1;
            readers.add(Thread.ofPlatform().start(() -> {
                try {
                    read(table, keys, rounds, reversed);
                } catch (Throwable e) {
                    failure.set(e);
                }
            }));
        }
        for (int round = 1; round <= rounds; round++) {
            for (int key = 0; key < keys; key++) {
                int spread = key * 37 % keys;
                byte[] value = new byte[8 + spread * 3];
                Arrays.fill(value, (byte) round);
                write(table, (long) round * keys + key, new Mutation.Put(key(spread), value));
            }
        }
        for (Thread reader : readers) {
            reader.join();
        }
        if (failure.get() != null) {
            throw new AssertionError("a reader failed", failure.get());
        }
        table.release();
    }

    private static byte[] key(int number) {
        return new byte[] {'p', 'r', 'e', 'f', 'i', 'x', '-', '-', '-', (byte) number};
    }

    private static void read(MemTable table, int keys, int rounds, boolean reversed) throws IOException {
        long[] seen = new long[keys];
        long last = (long) rounds * keys + keys - 1;
        while (table.lastLsn() < last) {
            for (int key = 0; key < keys; key++) {
                Lookup lookup = new Lookup(key(key), Long.MAX_VALUE);
                table.find(lookup);
                assertTrue(lookup.lsn() >= seen[key], "went back");
                seen[key] = lookup.lsn();
                byte[] value = lookup.value();
                if (value != null) {
                    byte[] expected = new byte[8 + key * 3];
                    Arrays.fill(expected, (byte) (lookup.lsn() / keys));
                    assertArrayEquals(expected, value);
                }
            }
            EntryCursor cursor = table.cursor(reversed);
            Version before = null;
            int steps = 0;
            for (boolean more = cursor.seek(null, true); more && steps < 2000; more = cursor.advance()) {
                Version now = new Version(cursor.key().toArray(), cursor.lsn());
                if (before != null) {
                    int order = Version.ORDER.compare(before, now);
                    assertTrue(reversed ? order > 0 : order < 0, "out of order");
                }
                before = now;
                steps++;
            }
        }
    }
}
