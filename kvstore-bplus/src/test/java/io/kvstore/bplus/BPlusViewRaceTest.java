package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.KeyRange;
import io.kvstore.testkit.Sweeps;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every batch gives two keys the same value, and every view has to see the same value at both, beside one writer at full speed
 * and the merges that it causes. {@code -Dkv.race.seconds} makes it longer.
 */
@Tag("races")
final class BPlusViewRaceTest {

    private static final int PAIRS = 2_000;
    private static final int WRITES = Sweeps.count(25_000, 60_000);
    private static final long NANOS = TimeUnit.SECONDS.toNanos(Long.getLong("kv.race.seconds", 0));
    private static final long JOIN_MILLIS = 120_000;

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicInteger kinds = new AtomicInteger();
    private volatile boolean done;

    @TempDir
    private Path directory;

    private static byte[] key(int pair, boolean second) {
        int number = second ? 2 * PAIRS - 1 - pair : pair;
        return ByteBuffer.allocate(8).putInt(number).putInt(pair).array();
    }

    private static byte[] value(SplittableRandom random, long number) {
        return ByteBuffer.allocate(random.nextInt(10, random.nextInt(4) == 0 ? 600 : 100))
                .putLong(number)
                .array();
    }

    private interface Reader {
        void read(SplittableRandom random);
    }

    private void start(Reader reader) {
        SplittableRandom random = new SplittableRandom(kinds.incrementAndGet());
        threads.add(Thread.ofPlatform()
                .uncaughtExceptionHandler((thread, e) -> failure.compareAndSet(null, e))
                .start(() -> {
                    while (!done) {
                        reader.read(random);
                        reads.incrementAndGet();
                    }
                }));
    }

    @Test
    void views_see_whole_batches() throws InterruptedException {
        Properties small = new Properties();
        small.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, 512 << 10);
        small.put(BPlusConfParamsEnum.BTREE_ORDER, 16);
        small.put("VALUE_THRESHOLD_BYTES", 100);
        small.put("ENABLE_WAL", false);
        try (KVStore store = new KVStore(directory, KVStoreOptions.defaults())) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "BPLUS", small);
            start(random -> getTwo(table, random));
            start(random -> snapshot(store, table, random));
            start(random -> scan(table, random));
            write(store, table);
            done = true;
            for (Thread thread : threads) {
                thread.join(JOIN_MILLIS);
            }
            assertNull(failure.get(), () -> "a thread failed: " + failure.get());
            assertTrue(reads.get() > 100, "too few reads");
            assertEquals(List.of(), store.verify().kept());
        }
    }

    private void write(KVStore store, Table table) {
        SplittableRandom random = new SplittableRandom(99);
        long end = System.nanoTime() + NANOS;
        for (int i = 0; (i < WRITES || System.nanoTime() < end) && failure.get() == null; i++) {
            int pair = random.nextInt(PAIRS);
            WriteBatch batch = new WriteBatch();
            if (random.nextInt(5) == 0) {
                batch.remove(table, key(pair, false)).remove(table, key(pair, true));
            } else {
                byte[] value = value(random, i);
                batch.put(table, key(pair, false), value).put(table, key(pair, true), value);
            }
            store.write(batch);
        }
    }

    private static void getTwo(Table table, SplittableRandom random) {
        int pair = random.nextInt(PAIRS);
        List<byte @Nullable []> found = table.getAll(List.of(key(pair, false), key(pair, true)));
        assertArrayEquals(found.get(0), found.get(1));
    }

    private static void snapshot(KVStore store, Table table, SplittableRandom random) {
        try (Snapshot snapshot = store.snapshot()) {
            for (int i = random.nextInt(50); i >= 0; i--) {
                int pair = random.nextInt(PAIRS);
                byte[] first = snapshot.get(table, key(pair, false));
                assertArrayEquals(first, snapshot.get(table, key(pair, true)));
                assertArrayEquals(first, snapshot.get(table, key(pair, false)));
            }
            if (random.nextInt(30) == 0) {
                assertPairs(snapshot.scan(table, KeyRange.all()), PAIRS);
            }
        }
    }

    /** Around the middle both keys of a pair lie near each other. */
    private static void scan(Table table, SplittableRandom random) {
        int pairs = random.nextInt(20) == 0 ? PAIRS : random.nextInt(1, 60);
        KeyRange range =
                KeyRange.between(key(PAIRS - pairs, false), new byte[] {1}).to(key(PAIRS - pairs, true), true);
        assertPairs(table.scan(random.nextBoolean() ? range.reverse() : range), pairs);
    }

    private static void assertPairs(Cursor opened, int pairs) {
        byte[][] first = new byte[PAIRS][];
        int open = 0;
        try (Cursor cursor = opened) {
            while (cursor.next()) {
                int pair = ByteBuffer.wrap(cursor.key()).getInt(4);
                byte[] value = cursor.value();
                assertTrue(pair >= PAIRS - pairs);
                if (first[pair] == null) {
                    first[pair] = value;
                    open++;
                } else {
                    assertArrayEquals(first[pair], value);
                    assertNotNull(value);
                    open--;
                }
            }
        }
        assertEquals(0, open, "keys whose other one was not seen");
    }
}
