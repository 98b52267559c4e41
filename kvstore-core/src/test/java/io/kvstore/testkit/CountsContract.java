package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.InvalidRequestException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts, ranks and keys by their place are those of a sorted map, wherever the entries are. */
public abstract class CountsContract {

    private static final int KEYS = 4_000;
    private static final int ROUNDS = 30;

    protected abstract TableEngineProvider provider();

    /** Properties with which a table moves its entries to files early. */
    protected abstract Properties small();

    private static byte[] key(int number) {
        return ByteBuffer.allocate(12)
                .putInt(number >>> 3)
                .putInt(0)
                .putInt(number & 7)
                .array();
    }

    private static KVStore open() {
        return new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(new SimStorage()));
    }

    private Table table(KVStore store) {
        store.createDB("db");
        return store.createTable("db", "t", provider().name(), small());
    }

    private static KeyRange range(SplittableRandom random) {
        KeyRange range = KeyRange.all();
        if (random.nextInt(4) > 0) {
            range = range.from(key(random.nextInt(KEYS)), random.nextBoolean());
        }
        if (random.nextInt(4) > 0) {
            range = range.to(key(random.nextInt(KEYS)), random.nextBoolean());
        }
        range = random.nextInt(5) == 0 ? range.limit(1 + random.nextInt(KEYS)) : range;
        return random.nextBoolean() ? range.reverse() : range;
    }

    /** The keys of a model in a range, in its direction. */
    private static List<byte[]> keys(NavigableMap<byte[], Integer> model, KeyRange range) {
        return new ArrayList<>(ModelTable.inRange(model, range).keySet());
    }

    private static void change(Table table, NavigableMap<byte[], Integer> model, SplittableRandom random) {
        int many = random.nextInt(6) == 0 ? KEYS : 100;
        boolean removes = random.nextInt(3) == 0;
        for (int i = random.nextInt(many); i > 0; i--) {
            byte[] key = key(random.nextInt(KEYS));
            if (removes || random.nextInt(4) == 0) {
                table.remove(key);
                model.remove(key);
            } else {
                table.put(key, new byte[random.nextInt(40)]);
                model.put(key, i);
            }
        }
    }

    private static void check(Table table, NavigableMap<byte[], Integer> model, SplittableRandom random) {
        KeyRange range = range(random);
        List<byte[]> keys = keys(model, range);
        assertEquals(Math.min(range.limit(), keys.size()), table.count(range), range::toString);
        int index = random.nextInt(keys.size() + 2);
        if (index < keys.size()) {
            assertArrayEquals(keys.get(index), table.keyAt(range, index), () -> index + " of " + range);
        } else {
            assertNull(table.keyAt(range, index));
        }
        byte[] any = key(random.nextInt(KEYS));
        assertEquals(model.headMap(any, false).size(), table.rank(any));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void they_are_those_of_a_sorted_map(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        NavigableMap<byte[], Integer> model = new TreeMap<>(KeyOrder.COMPARATOR);
        try (KVStore store = open()) {
            Table table = table(store);
            Snapshot snapshot = store.snapshot();
            NavigableMap<byte[], Integer> kept = new TreeMap<>(model);
            for (int round = 0; round < ROUNDS; round++) {
                change(table, model, random);
                for (int i = 0; i < 10; i++) {
                    check(table, model, random);
                    KeyRange range = range(random);
                    assertEquals(
                            Math.min(range.limit(), keys(kept, range).size()),
                            snapshot.count(table, range),
                            range::toString);
                }
                switch (random.nextInt(5)) {
                    case 0 -> table.flush();
                    case 1 -> table.optimize((done, total) -> true);
                    case 2 -> {
                        snapshot.close();
                        snapshot = store.snapshot();
                        kept = new TreeMap<>(model);
                    }
                    default -> {
                        // changes wait
                    }
                }
            }
            snapshot.close();
        }
    }

    /** More leaves than are counted with one view. */
    @Test
    void a_long_count_is_of_one_moment() {
        try (KVStore store = open()) {
            Table table = table(store);
            int all = 60_000;
            for (int i = 0; i < all; i++) {
                table.put(ByteBuffer.allocate(4).putInt(i).array(), new byte[100]);
            }
            table.flush();
            try (Snapshot snapshot = store.snapshot()) {
                for (int i = 0; i < all; i += 2) {
                    table.remove(ByteBuffer.allocate(4).putInt(i).array());
                }
                table.flush();
                assertEquals(all, snapshot.count(table, KeyRange.all()));
                assertEquals(all / 2, table.count(KeyRange.all()));
                assertArrayEquals(ByteBuffer.allocate(4).putInt(50_001).array(), table.keyAt(KeyRange.all(), 25_000));
                assertArrayEquals(
                        ByteBuffer.allocate(4).putInt(all - 1 - 2 * 25_000).array(),
                        table.keyAt(KeyRange.all().reverse(), 25_000));
            }
        }
    }

    @Test
    void an_index_below_zero_is_refused() {
        try (KVStore store = open()) {
            Table table = table(store);
            assertNull(table.keyAt(KeyRange.all(), 0));
            assertThrows(InvalidRequestException.class, () -> table.keyAt(KeyRange.all(), -1));
        }
    }

    /** Other readers take pages of a small buffer away while their leaves are counted. */
    @Tag("races")
    @Test
    void a_count_beside_other_readers_is_exact_and_ends() throws Exception {
        int all = 4_000;
        AtomicBoolean ends = new AtomicBoolean();
        try (KVStore store = open();
                ExecutorService pool = Executors.newFixedThreadPool(2)) {
            Table table = table(store);
            for (int i = 0; i < all; i++) {
                table.put(key(i), new byte[20]);
            }
            table.flush();
            List<Future<?>> readers = new ArrayList<>();
            for (int seed = 0; seed < 2; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                readers.add(pool.submit(() -> {
                    while (!ends.get()) {
                        table.get(key(random.nextInt(all)));
                        assertEquals(all, table.count(KeyRange.all()));
                    }
                }));
            }
            try {
                for (int i = 0; i < 150; i++) {
                    assertEquals(all, table.count(KeyRange.all()));
                }
            } finally {
                ends.set(true);
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
        }
    }
}
