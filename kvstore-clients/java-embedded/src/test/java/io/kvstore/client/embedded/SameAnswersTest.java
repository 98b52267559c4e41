package io.kvstore.client.embedded;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.testkit.SimStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A B+tree table and an LSM table, side by side in one store, are fed the same operations and have to answer the same: orders
 * from the least to more than a page holds, buffers of eight pages and of many, and openings in between. 8,000 operations for
 * each order, 160,000 in all. It stands here because this is the first module that has both engines.
 */
final class SameAnswersTest {

    private static final int OPERATIONS = 8_000;
    private static final int REOPEN_EVERY = 2_000;
    private static final byte[] ALPHABET = {0, 1, 'a', 'b', (byte) 0xFF};

    private final SimStorage disk = new SimStorage();

    static List<Integer> orders() {
        List<Integer> orders =
                new ArrayList<>(IntStream.rangeClosed(3, 20).boxed().toList());
        orders.addAll(List.of(100, 400));

        return orders;
    }

    private KVStore open() {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(disk)
                        .withDurability(Durability.BUFFERED)
                        .withWalSegmentBytes(256 << 10)
                        .withCheckpointLogBytes(1 << 20));
    }

    private static void create(KVStore store, int order) {
        store.createDB("db");
        Properties tree = new Properties();
        tree.put("BTREE_ORDER", order);
        tree.put("BTREE_PAGE_BUFFER_SIZE_BYTES", order % 2 == 0 ? 32 << 10 : 4 << 20);
        tree.put("VALUE_THRESHOLD_BYTES", List.of(0, 60, Integer.MAX_VALUE).get(order % 3));
        store.createTable("db", "tree", "BPLUS", tree);
        Properties merged = new Properties();
        merged.put("MEM_CACHE_SIZE", 64 << 10);
        merged.put("SPARSE_INDEX_SIZE", 1 + order % 16);
        merged.put("VALUE_THRESHOLD_BYTES", List.of(Integer.MAX_VALUE, 0, 60).get(order % 3));
        store.createTable("db", "merged", "LSM", merged);
    }

    @ParameterizedTest
    @MethodSource("orders")
    void both_engines_answer_the_same(int order) {
        SplittableRandom random = new SplittableRandom(order);
        try (KVStore store = open()) {
            create(store, order);
        }
        for (int done = 0; done < OPERATIONS; done += REOPEN_EVERY) {
            try (KVStore store = open()) {
                Pair pair = new Pair(store, store.table("db", "tree"), store.table("db", "merged"), random);
                for (int i = 0; i < Math.min(REOPEN_EVERY, OPERATIONS - done); i++) {
                    pair.step();
                }
                pair.compareAll();
                assertEquals(List.of(), store.verify().kept());
            }
        }
        assertEquals(0, disk.openResources());
    }

    /** Two tables with the same entries. */
    private record Pair(KVStore store, Table tree, Table merged, SplittableRandom random) {

        /** Keys with long and short beginnings in common, with and without the bytes that sort first and last. */
        private byte[] key() {
            byte[] key = new byte[random.nextInt(4) == 0 ? random.nextInt(30) : 1 + random.nextInt(5)];
            for (int i = 0; i < key.length; i++) {
                key[i] = i < key.length - 4 ? (byte) 'x' : ALPHABET[random.nextInt(ALPHABET.length)];
            }
            return key;
        }

        private byte[] value() {
            byte[] value = new byte[random.nextInt(30) == 0 ? random.nextInt(5_000) : random.nextInt(120)];
            random.nextBytes(value);
            return value;
        }

        void step() {
            int kind = random.nextInt(80);
            switch (kind) {
                case 0 -> scan();
                case 1 -> assertCounts(range());
                case 2 -> snapshot();
                case 3, 4, 5 -> batch();
                case 6, 7, 8 -> conditions();
                default -> {
                    if (kind < 34) {
                        put();
                    } else if (kind < 50) {
                        remove();
                    } else {
                        get(key());
                    }
                }
            }
            if (random.nextInt(3_000) == 0) {
                tree.flush();
                merged.flush();
            }
        }

        private void put() {
            byte[] key = key();
            byte[] value = value();
            tree.put(key, value);
            merged.put(key, value);
        }

        private void remove() {
            byte[] key = key();
            tree.remove(key);
            merged.remove(key);
        }

        private void batch() {
            WriteBatch batch = new WriteBatch();
            for (int i = random.nextInt(12); i >= 0; i--) {
                byte[] key = key();
                if (random.nextBoolean()) {
                    byte[] value = value();
                    batch.put(tree, key, value).put(merged, key, value);
                } else {
                    batch.remove(tree, key).remove(merged, key);
                }
            }
            store.write(batch);
        }

        private void conditions() {
            byte[] key = key();
            byte[] value = value();
            Condition absent = new Condition.Absent(key);
            assertEquals(tree.putIf(absent, key, value, null), merged.putIf(absent, key, value, null));
            byte[] now = tree.get(key);
            if (now != null && random.nextBoolean()) {
                assertTrue(tree.remove(key, now));
                assertTrue(merged.remove(key, now));
            }
            assertEquals(tree.replace(key, value, key), merged.replace(key, value, key));
        }

        private void get(byte[] key) {
            assertArrayEquals(tree.get(key), merged.get(key));
        }

        private KeyRange range() {
            byte[] one = key();
            byte[] two = key();
            boolean inOrder = Arrays.compareUnsigned(one, two) <= 0;
            KeyRange range = KeyRange.all();
            if (random.nextInt(4) > 0) {
                range = range.from(inOrder ? one : two, random.nextBoolean());
            }
            if (random.nextInt(4) > 0) {
                range = range.to(inOrder ? two : one, random.nextBoolean());
            }
            return random.nextBoolean() ? range.reverse() : range;
        }

        private void scan() {
            KeyRange range = range().limit(1 + random.nextInt(300));
            try (Cursor left = tree.scan(range);
                    Cursor right = merged.scan(range)) {
                assertSame(left, right, random.nextInt(4) == 0 ? this::put : null);
            }
        }

        /** @param meanwhile what is done between two entries, and must not be seen */
        private static void assertSame(Cursor left, Cursor right, @Nullable Runnable meanwhile) {
            while (left.next()) {
                assertTrue(right.next());
                assertArrayEquals(left.key(), right.key());
                assertArrayEquals(left.value(), right.value());
                if (meanwhile != null) {
                    meanwhile.run();
                }
            }
            assertEquals(false, right.next());
        }

        private void assertCounts(KeyRange range) {
            assertEquals(tree.count(range), merged.count(range));
        }

        private void snapshot() {
            try (Snapshot snapshot = store.snapshot()) {
                for (int i = random.nextInt(10); i >= 0; i--) {
                    put();
                    remove();
                    byte[] key = key();
                    assertArrayEquals(snapshot.get(tree, key), snapshot.get(merged, key));
                }
                KeyRange range = range().limit(50);
                try (Cursor left = snapshot.scan(tree, range);
                        Cursor right = snapshot.scan(merged, range)) {
                    assertSame(left, right, null);
                }
            }
        }

        void compareAll() {
            try (Cursor left = tree.scan(KeyRange.all());
                    Cursor right = merged.scan(KeyRange.all())) {
                assertSame(left, right, null);
            }
            assertCounts(KeyRange.all());
        }
    }
}
