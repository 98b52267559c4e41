package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.pending.ViewCursor;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.testkit.Sweeps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Layers that come and go as fast as they can: each operation gives a few keys its number and is brought into the tree at
 * once. {@code -Dkv.race.seconds} makes it longer.
 */
@Tag("races")
final class ChangeLayersRaceTest {

    private static final int KEYS = 9;
    private static final int OPERATIONS = Sweeps.count(25_000, 60_000);
    private static final long NANOS = TimeUnit.SECONDS.toNanos(Long.getLong("kv.race.seconds", 0));

    private final ReentrantLock opening = new ReentrantLock();
    private final TreeMap<Long, Integer> open = new TreeMap<>();
    private final AtomicLong durable = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final TestTree table;
    private long lsn;
    private volatile boolean done;

    ChangeLayersRaceTest() throws IOException {
        table = new TestTree(3, 1 << 20, this::openLsns, durable);
    }

    @AfterEach
    void close() throws IOException {
        table.close();
    }

    private long[] openLsns() {
        opening.lock();
        try {
            return open.keySet().stream().mapToLong(Long::longValue).toArray();
        } finally {
            opening.unlock();
        }
    }

    private static byte[] key(int number) {
        return new byte[] {(byte) number};
    }

    private static byte[] value(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static long number(byte @Nullable [] value) {
        assertNotNull(value);
        return ByteBuffer.wrap(value).getLong();
    }

    private void write() {
        List<Mutation> batch = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            batch.add(new Mutation.Put(key(i), value(lsn + 1)));
        }
        assertNull(table.changes().reserve(batch));
        lsn++;
        table.changes().apply(lsn, batch);
    }

    /** As the store does it: the lsn is read while no thread is told which snapshots are open. */
    private long open(LongSupplier last) {
        opening.lock();
        try {
            long seen = last.getAsLong();
            open.merge(seen, 1, Integer::sum);
            return seen;
        } finally {
            opening.unlock();
        }
    }

    private long openDurable() {
        return open(durable::get);
    }

    private long openSnapshot() {
        return open(table.changes()::appliedLsn);
    }

    private void closeSnapshot(long seen) {
        opening.lock();
        try {
            open.computeIfPresent(seen, (one, count) -> count == 1 ? null : count - 1);
        } finally {
            opening.unlock();
        }
    }

    private interface Reader {
        void read() throws IOException;
    }

    private void race(int period, Reader reader) throws Exception {
        write();
        Thread thread = Thread.ofPlatform()
                .uncaughtExceptionHandler((which, e) -> failure.compareAndSet(null, e))
                .start(() -> {
                    try {
                        while (!done) {
                            reader.read();
                        }
                    } catch (IOException e) {
                        failure.compareAndSet(null, e);
                    }
                });
        long end = System.nanoTime() + NANOS;
        for (int i = 0; (i < OPERATIONS || System.nanoTime() < end) && failure.get() == null; i++) {
            write();
            if (i % 5 == 0) {
                durable.set(lsn);
            }
            if (i % period < 2) {
                table.changes().mergeAll();
                table.reclaim();
            }
        }
        done = true;
        thread.join();
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError("the reader failed", failed);
        }
    }

    @Test
    void a_snapshot_sees_one_state_of_each_key() throws Exception {
        race(3, () -> {
            long seen = openSnapshot();
            for (int i = 0; i < KEYS; i++) {
                assertEquals(seen, number(table.points().get(key(i), seen).value()), "key " + i);
            }
            closeSnapshot(seen);
        });
    }

    /** Operations above it were applied before it was opened, and perhaps are merged soon. */
    @Test
    void a_view_of_what_is_durable_sees_one_state() throws Exception {
        race(11, () -> {
            long seen = openDurable();
            if (seen > 0) {
                for (int i = 0; i < KEYS; i++) {
                    assertEquals(seen, number(table.points().get(key(i), seen).value()), "key " + i);
                }
                long[] found = walk(seen);
                assertTrue(
                        Arrays.stream(found).allMatch(one -> one == seen), () -> seen + ": " + Arrays.toString(found));
            }
            closeSnapshot(seen);
        });
    }

    @Test
    void a_cursor_of_a_snapshot_sees_one_state() throws Exception {
        race(3, () -> {
            long seen = openSnapshot();
            long[] found = walk(seen);
            assertTrue(Arrays.stream(found).allMatch(one -> one == seen), () -> seen + ": " + Arrays.toString(found));
            closeSnapshot(seen);
        });
    }

    @Test
    void a_cursor_of_the_newest_state_sees_one_operation() throws Exception {
        race(3, () -> {
            long[] found = walk(Long.MAX_VALUE);
            assertTrue(Arrays.stream(found).allMatch(one -> one == found[0]), () -> Arrays.toString(found));
        });
    }

    /** Of cursors that nobody moves each would hold layers that are in the tree long since. */
    @Test
    void a_cursor_at_rest_lets_merged_changes_go() throws IOException {
        write();
        long seen = openSnapshot();
        ViewCursor.Table read = new ViewCursor.Table(table.changes(), table.reader(), table.values());
        try (EngineCursor opened = ViewCursor.open(read, KeyRange.all(), seen, view -> {})) {
            ViewCursor cursor = (ViewCursor) opened;
            assertTrue(cursor.next());
            write();
            cursor.rest();
            assertTrue(cursor.isHolding(), "it would look for its place in vain");
            table.changes().mergeAll();
            assertFalse(cursor.isHolding());
            assertTrue(cursor.next());
            assertArrayEquals(key(1), cursor.key());
            assertEquals(seen, number(cursor.value()));
            write();
            table.changes().mergeAll();
            cursor.rest();
            assertTrue(cursor.next());
            assertArrayEquals(key(2), cursor.key());
            assertEquals(seen, number(cursor.value()));
        }
        closeSnapshot(seen);
    }

    private long[] walk(long seen) throws IOException {
        ViewCursor.Table read = new ViewCursor.Table(table.changes(), table.reader(), table.values());
        long[] found = new long[KEYS];
        try (EngineCursor cursor = ViewCursor.open(read, KeyRange.all(), seen, view -> {})) {
            for (int i = 0; i < KEYS; i++) {
                assertTrue(cursor.next());
                assertArrayEquals(key(i), cursor.key());
                found[i] = number(cursor.value());
            }
        }
        return found;
    }
}
