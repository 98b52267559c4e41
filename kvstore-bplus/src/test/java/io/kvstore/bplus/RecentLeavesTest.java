package io.kvstore.bplus;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.page.Node;
import io.kvstore.error.CorruptionException;
import io.kvstore.value.segment.StoredValue;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread that reads a leaf again does not search for it, and finds what the tree has. */
final class RecentLeavesTest {

    private static final int KEYS = 60;

    private static byte[] key(int number) {
        return ("key-" + (1_000 + number)).getBytes(StandardCharsets.US_ASCII);
    }

    /** Changes a tree without a change buffer, so that each change is in the tree at once. */
    private static final class Changed implements AutoCloseable {

        private final TestTree table;
        private long lsn;

        Changed(int order) throws IOException {
            table = new TestTree(order, 4 << 20, () -> new long[0], null);
        }

        /** @param value null to remove the key */
        void change(int number, byte @Nullable [] value) {
            lsn++;
            ChangeArena one = new ChangeArena(ChangeArena.MAX_BYTES);
            if (value == null) {
                one.addRemoval(key(number), lsn);
            } else {
                one.addValue(key(number), lsn, value);
            }
            apply(one);
        }

        void put(byte[] key, byte[] value) {
            lsn++;
            ChangeArena one = new ChangeArena(ChangeArena.MAX_BYTES);
            one.addValue(key, lsn, value);
            apply(one);
        }

        /** Lets a key point to a value that is nowhere. */
        void pointNowhere(int number) {
            lsn++;
            ChangeArena one = new ChangeArena(ChangeArena.MAX_BYTES);
            one.addPointer(key(number), lsn, 99, 64, 10);
            apply(one);
        }

        private void apply(ChangeArena one) {
            assertEquals(1, table.tree().applySorted(one.sort(), 0, 1));
            table.tree().applied(lsn);
        }

        /** The page of the newest state that has the key. */
        Page leafOf(byte[] key) {
            Page page = root();
            while (Node.level(page.bytes()) > 0) {
                page = requireNonNull(table.parts().buffer().get(Node.childFor(page.bytes(), key)));
            }
            return page;
        }

        /** The keys of the leaf that has a key. */
        List<byte[]> keysBeside(byte[] key) {
            MemorySegment bytes = leafOf(key).bytes();
            return IntStream.range(0, Node.count(bytes))
                    .mapToObj(index -> Node.key(bytes, index))
                    .toList();
        }

        /** The value as it is found while a search from the root has no answer; null if there is none without a search. */
        @Nullable
        StoredValue tryGetNear(byte[] key) throws IOException {
            root().beginChange();
            try {
                return table.reader().tryGetNewest(key, 0, null);
            } finally {
                root().endChange();
            }
        }

        Page root() {
            return requireNonNull(table.parts().buffer().get(table.tree().root()));
        }

        @Nullable
        StoredValue tryGet(int number) throws IOException {
            return tryGet(key(number));
        }

        @Nullable
        StoredValue tryGet(byte[] key) throws IOException {
            return table.reader().tryGetNewest(key, 0, null);
        }

        byte @Nullable [] get(int number) throws IOException {
            return requireNonNull(tryGet(number)).value();
        }

        @Override
        public void close() throws IOException {
            table.close();
        }
    }

    private static Changed filled() throws IOException {
        Changed tree = new Changed(4);
        for (int i = 0; i < KEYS; i++) {
            tree.change(i, new byte[] {(byte) i});
        }
        assertTrue(Node.level(tree.root().bytes()) > 0);
        return tree;
    }

    @Test
    void a_leaf_that_was_read_twice_is_read_without_a_search() throws IOException {
        try (Changed tree = filled()) {
            tree.get(8);
            tree.get(8);
            tree.root().beginChange(); // a search meets a page that is being changed, and has no answer
            assertArrayEquals(new byte[] {8}, tree.get(8));
            assertNull(tree.tryGet(50));
            tree.root().endChange();
            assertNotNull(tree.tryGet(50));
        }
    }

    @Test
    void a_leaf_that_has_changed_is_searched_for() throws IOException {
        try (Changed tree = filled()) {
            tree.get(8);
            tree.get(8);
            tree.change(8, new byte[] {77});
            assertArrayEquals(new byte[] {77}, tree.get(8));
            tree.get(8);
            tree.change(8, null);
            assertNull(tree.get(8));
        }
    }

    /** The bytes of a leaf that an older state keeps stay as they were. */
    @Test
    void a_leaf_that_only_an_older_state_has_is_searched_for() throws IOException {
        try (Changed tree = filled()) {
            tree.get(8);
            tree.get(8);
            try (var _ = tree.table.parts().versions().look()) {
                tree.change(8, new byte[] {77});
                assertArrayEquals(new byte[] {77}, tree.get(8));
            }
        }
    }

    @Test
    void the_first_and_the_last_key_of_a_leaf_are_in_it_and_their_neighbours_are_not() throws IOException {
        try (Changed tree = filled()) {
            List<byte[]> keys = tree.keysBeside(key(8));
            assertTrue(keys.size() > 1);
            int first = numberOf(keys.getFirst());
            int last = numberOf(keys.getLast());
            tree.get(8);
            tree.get(8);
            for (int number = first; number <= last; number++) {
                StoredValue found = tree.tryGetNear(key(number));
                assertNotNull(found, "key " + number);
                assertArrayEquals(new byte[] {(byte) number}, found.value());
            }
            assertNull(tree.tryGetNear(key(first - 1)), "the leaf before has it");
            assertNull(tree.tryGetNear(key(last + 1)), "the leaf behind has it");
            assertNull(tree.tryGetNear(append(key(first), 0)), "nobody has it, but that is for a search to say");
            assertArrayEquals(new byte[] {(byte) (first - 1)}, tree.get(first - 1));
            assertArrayEquals(new byte[] {(byte) (last + 1)}, tree.get(last + 1));
        }
    }

    /** The bounds of a leaf are of the bytes behind the prefix that its keys share. */
    @Test
    void a_key_with_another_prefix_is_searched_for() throws IOException {
        try (Changed tree = filled()) {
            byte[] other = "kex-1008".getBytes(StandardCharsets.US_ASCII);
            byte[] shorter = "key".getBytes(StandardCharsets.US_ASCII);
            tree.put(other, new byte[] {77});
            tree.put(shorter, new byte[] {78});
            tree.get(20);
            tree.get(20);
            byte[] like = "kex-1020".getBytes(StandardCharsets.US_ASCII);
            assertNull(requireNonNull(tree.tryGet(like)).value());
            assertArrayEquals(
                    new byte[] {77}, requireNonNull(tree.tryGet(other)).value());
            assertArrayEquals(
                    new byte[] {78}, requireNonNull(tree.tryGet(shorter)).value());
        }
    }

    @Test
    void a_leaf_that_is_divided_is_searched_for() throws IOException {
        try (Changed tree = filled()) {
            List<byte[]> before = tree.keysBeside(key(8));
            tree.get(8);
            tree.get(8);
            Page leaf = tree.leafOf(key(8));
            for (int i = 0; i < 4; i++) {
                tree.put(append(key(8), i), new byte[] {(byte) i});
            }
            assertTrue(!tree.leafOf(before.getFirst()).equals(leaf)
                    || !tree.leafOf(before.getLast()).equals(leaf));
            for (byte[] key : before) {
                assertNull(tree.tryGetNear(key));
                assertArrayEquals(
                        new byte[] {(byte) numberOf(key)},
                        requireNonNull(tree.tryGet(key)).value());
            }
            for (int i = 0; i < 4; i++) {
                assertArrayEquals(
                        new byte[] {(byte) i},
                        requireNonNull(tree.tryGet(append(key(8), i))).value());
            }
        }
    }

    /** The memory of a longer page is its own, and would live as long as the page is remembered. */
    @Test
    void a_long_page_is_not_remembered() throws IOException {
        try (Changed tree = new Changed(4)) {
            byte[] shared = new byte[3_000];
            for (int i = 0; i < 9; i++) {
                tree.put(append(shared, i), new byte[] {(byte) i});
            }
            assertTrue(Node.level(tree.root().bytes()) > 0);
            byte[] key = append(shared, 5);
            byte[] other = append(new byte[6_000], 5);
            tree.put(other, new byte[] {55});
            assertTrue(tree.leafOf(other).units() > 1);
            for (byte[] asked : List.of(other, key, other)) {
                for (int times = 0; times < 3; times++) {
                    assertArrayEquals(
                            new byte[] {(byte) (asked.length > 6_000 ? 55 : 5)},
                            requireNonNull(tree.tryGet(asked)).value());
                }
            }
            assertNull(tree.tryGetNear(other));
        }
    }

    @Test
    void a_value_that_is_not_where_the_leaf_points_to_is_read_again() throws IOException {
        try (Changed tree = filled()) {
            tree.pointNowhere(8);
            assertNull(tree.tryGet(8));
            assertNull(tree.tryGet(8));
            assertNotNull(tree.table.reader().tryFindNewest(key(8)), "this asks for the entry only");
            tree.root().beginChange();
            assertThrows(
                    CorruptionException.class,
                    () -> tree.table.reader().tryGetNewest(key(8), 10_000, null),
                    "the leaf is not asked before the search");
            tree.root().endChange();
            assertNull(tree.tryGet(8));
        }
    }

    /** The id and the frame of a leaf go to leaves of other keys and to a page above leaves. */
    @Test
    void a_leaf_whose_memory_belongs_to_other_pages_is_searched_for() throws IOException {
        try (Changed tree = filled()) {
            for (int round = 0; round < 40; round++) {
                int asked = round % KEYS;
                tree.get(asked);
                tree.get(asked);
                assertNotNull(tree.tryGetNear(key(asked)));
                for (int i = 0; i < KEYS; i++) {
                    tree.change(i, null);
                }
                tree.table.reclaim();
                assertNull(tree.get(asked));
                for (int i = 0; i < KEYS; i++) {
                    int number = (i * 7 + round) % KEYS;
                    tree.change(number, new byte[] {(byte) number, (byte) round});
                    byte[] found = tree.get(asked);
                    byte[] now = i < positionOf(asked, round) ? null : new byte[] {(byte) asked, (byte) round};
                    assertArrayEquals(now, found, "round " + round + " at " + i);
                }
            }
        }
    }

    private static int positionOf(int number, int round) {
        return (int) IntStream.range(0, KEYS)
                .takeWhile(i -> (i * 7 + round) % KEYS != number)
                .count();
    }

    /** There are fewer places than threads, so threads also find leaves of each other, and overwrite them. */
    @Test
    void threads_that_share_places_never_see_an_older_value() throws Exception {
        int threads = 40;
        AtomicLongArray written = new AtomicLongArray(KEYS);
        try (Changed tree = new Changed(4);
                ExecutorService readers = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < KEYS; i++) {
                tree.change(i, longValue(0));
            }
            AtomicBoolean isOver = new AtomicBoolean();
            List<Future<Long>> reading = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread % KEYS;
                reading.add(readers.submit(() -> readWhile(tree, number, written, isOver)));
            }
            for (long round = 1; round <= 30; round++) {
                for (int i = 0; i < KEYS; i++) {
                    try (var _ = tree.table.parts().versions().look()) { // so the leaf is copied, and stays as it was
                        tree.change(i, longValue(round));
                    }
                    written.set(i, round);
                }
                tree.table.reclaim();
            }
            isOver.set(true);
            for (Future<Long> one : reading) {
                assertTrue(one.get() > 0);
            }
        }
    }

    /** Reads a key again and again, and once more when all is written. Returns how often. */
    private static long readWhile(Changed tree, int number, AtomicLongArray written, AtomicBoolean isOver)
            throws IOException {
        long reads = 0;
        for (boolean goesOn = true; goesOn; ) {
            goesOn = !isOver.get();
            long least = written.get(number);
            StoredValue found = tree.tryGet(number);
            if (found != null) {
                long value = ByteBuffer.wrap(requireNonNull(found.value())).getLong();
                assertTrue(value >= least, "key " + number + " had " + least + ", now " + value);
                reads++;
            }
            Thread.onSpinWait();
        }
        return reads;
    }

    private static byte[] longValue(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static byte[] append(byte[] key, int last) {
        byte[] longer = Arrays.copyOf(key, key.length + 1);
        longer[key.length] = (byte) last;
        return longer;
    }

    private static int numberOf(byte[] key) {
        return Integer.parseInt(new String(key, StandardCharsets.US_ASCII).substring(4)) - 1_000;
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 8, 1_000})
    void whatever_is_changed_is_found(int order) throws IOException {
        SplittableRandom random = new SplittableRandom(order);
        Map<Integer, byte @Nullable []> model = new TreeMap<>();
        try (Changed tree = new Changed(order)) {
            for (int round = 0; round < 2_000; round++) {
                int number = random.nextInt(KEYS);
                byte[] value = random.nextInt(5) < 2 ? null : new byte[] {(byte) round, (byte) (round >> 8)};
                tree.change(number, value);
                model.put(number, value);
                int from = Math.max(0, number - random.nextInt(4));
                for (int asked = from; asked < from + 6; asked++) {
                    assertArrayEquals(model.get(asked), tree.get(asked), "round " + round + ", key " + asked);
                }
            }
        }
    }
}
