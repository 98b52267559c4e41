package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.error.StoreClosedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real threads on a real disk: conditions are exact, snapshots whole, closing orderly, dropping harmless. */
final class LsmStressTest {

    private static final long JOIN_MILLIS = 120_000;
    private static final byte[] COUNTER = {0};

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    @TempDir
    private Path directory;

    private static KVStoreOptions options() {
        return KVStoreOptions.defaults()
                .withDurability(Durability.BUFFERED)
                .withWalSegmentBytes(1 << 20)
                .withCheckpointLogBytes(4 << 20)
                .withMemoryBytes(32 << 20);
    }

    private static Table newTable(KVStore store, String name) {
        Properties small = new Properties();
        small.put(LsmConfParamsEnum.MEM_CACHE_SIZE, 256 << 10);
        return store.createTable("db", name, "LSM", small);
    }

    private void start(int count, Runnable body) {
        for (int i = 0; i < count; i++) {
            threads.add(Thread.ofPlatform()
                    .uncaughtExceptionHandler((thread, e) -> failure.compareAndSet(null, e))
                    .start(body));
        }
    }

    private void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(JOIN_MILLIS);
            assertFalse(thread.isAlive(), "a thread hangs");
        }
        Throwable cause = failure.get();
        assertNull(cause, () -> String.valueOf(cause));
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    @Test
    void a_counter_of_64_threads_is_exact() throws InterruptedException {
        try (KVStore store = new KVStore(directory, options())) {
            store.createDB("db");
            Table table = newTable(store, "t");
            table.put(COUNTER, number(0));
            start(64, () -> {
                for (int i = 0; i < 50; i++) {
                    byte[] now;
                    do {
                        now = table.get(COUNTER);
                    } while (now == null
                            || !table.replace(
                                    COUNTER, now, number(ByteBuffer.wrap(now).getLong() + 1)));
                }
            });
            join();
            assertArrayEquals(number(3_200), table.get(COUNTER));
        }
    }

    @Test
    void snapshots_see_whole_batches_while_tables_are_flushed_truncated_and_dropped() throws InterruptedException {
        try (KVStore store = new KVStore(directory, options())) {
            store.createDB("db");
            Table left = newTable(store, "left");
            Table right = newTable(store, "right");
            AtomicBoolean stop = new AtomicBoolean();
            AtomicLong seen = new AtomicLong();
            start(4, () -> {
                for (int i = 0; i < 1_500; i++) {
                    byte[] value = ByteBuffer.allocate(400).putInt(i).array();
                    byte[] key = number(i % 97);
                    store.write(new WriteBatch().put(left, key, value).put(right, key, value));
                }
                stop.set(true);
            });
            start(3, () -> {
                while (!stop.get()) {
                    try (Snapshot snapshot = store.snapshot()) {
                        for (int key = 0; key < 97; key += 7) {
                            assertArrayEquals(snapshot.get(left, number(key)), snapshot.get(right, number(key)));
                            seen.incrementAndGet();
                        }
                        assertEquals(snapshot.count(left, KeyRange.all()), snapshot.count(right, KeyRange.all()));
                    }
                }
            });
            start(1, () -> {
                for (int i = 0; !stop.get(); i++) {
                    Table other = newTable(store, "other" + i);
                    other.put(COUNTER, new byte[1_000]);
                    other.truncate();
                    assertNull(other.get(COUNTER));
                    left.flush();
                    store.dropTable("db", "other" + i);
                }
            });
            join();
            assertTrue(seen.get() > 0);
            assertEquals(97, left.count(KeyRange.all()));
            assertEquals(0, store.verify().total());
        }
        try (KVStore again = new KVStore(directory, options())) {
            assertEquals(List.of("left", "right"), again.tables("db"));
            assertEquals(97, again.table("db", "left").count(KeyRange.all()));
        }
    }

    @Test
    void closing_under_load_loses_nothing_that_was_acknowledged() throws InterruptedException {
        AtomicLong[] acknowledged = new AtomicLong[8];
        KVStore store = new KVStore(directory, options().withDurability(Durability.SYNC));
        store.createDB("db");
        Table table = newTable(store, "t");
        AtomicLong total = new AtomicLong();
        for (int i = 0; i < acknowledged.length; i++) {
            AtomicLong mine = new AtomicLong();
            acknowledged[i] = mine;
            byte caller = (byte) i;
            start(1, () -> {
                try {
                    while (true) {
                        long next = mine.get();
                        table.put(
                                ByteBuffer.allocate(9).put(caller).putLong(next).array(), number(next));
                        mine.incrementAndGet();
                        total.incrementAndGet();
                    }
                } catch (StoreClosedException e) {
                    // the store was closed: this writer is done
                }
            });
        }
        while (total.get() < 2_000 && failure.get() == null) {
            Thread.onSpinWait();
        }
        store.close();
        join();
        try (KVStore again = new KVStore(directory, options())) {
            Table reopened = again.table("db", "t");
            for (int i = 0; i < acknowledged.length; i++) {
                long count = reopened.count(KeyRange.prefix(new byte[] {(byte) i}));
                assertEquals(acknowledged[i].get(), count, "writer " + i);
            }
            assertTrue(reopened.putIf(new Condition.Absent(COUNTER), COUNTER, COUNTER, null));
        }
    }
}
