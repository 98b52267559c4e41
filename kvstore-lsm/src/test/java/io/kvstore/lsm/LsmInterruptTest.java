package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.testkit.Sweeps;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hosts interrupt threads that are inside the store: nothing is closed, nothing fails, and the flag is not lost. */
final class LsmInterruptTest {

    private static final int CALLERS = 8;
    private static final int KEYS = 2_000;

    /** With the log in memory a caller does much between two looks at its flag, so there are fewer. */
    private static final int INTERRUPTS = Sweeps.count(40, 100);

    private static final int MAX_WAITS = 1_000_000;
    private static final long JOIN_MILLIS = 120_000;

    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicIntegerArray noticed = new AtomicIntegerArray(CALLERS);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    @ParameterizedTest
    @CsvSource({"SYNC, false, 5", "SYNC, true, 5", "BUFFERED, false, 1", "BUFFERED, true, 1"})
    void interrupted_callers_do_no_harm(Durability durability, boolean virtual, int share, @TempDir Path directory)
            throws InterruptedException {
        KVStoreOptions options = KVStoreOptions.defaults()
                .withDurability(durability)
                .withWalSegmentBytes(4 << 20)
                .withCheckpointLogBytes(64 << 20);
        long[] written = new long[CALLERS];
        try (KVStore store = new KVStore(directory, options)) {
            store.createDB("db");
            Properties small = new Properties();
            small.put(LsmConfParamsEnum.MEM_CACHE_SIZE, 2 << 20);
            Table table = store.createTable("db", "t", "LSM", small);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int caller = i;
                Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
                callers.add(builder.uncaughtExceptionHandler((thread, e) -> failure.compareAndSet(null, e))
                        .start(() -> written[caller] = callUntilStopped(table, caller)));
            }
            interrupt(callers, share * INTERRUPTS);
            stop.set(true);
            for (Thread caller : callers) {
                caller.join(JOIN_MILLIS);
                assertFalse(caller.isAlive(), "a caller hangs");
            }
            assertNull(failure.get());
            assertNull(store.failure());
            assertEquals(0, store.verify().total());
            check(table, written);
        }
        try (KVStore again = new KVStore(directory, options)) {
            check(again.table("db", "t"), written);
        }
    }

    /** Interrupts one caller after another, each once it has noticed the interrupt before: none may be lost. */
    private void interrupt(List<Thread> callers, int interrupts) {
        SplittableRandom random = new SplittableRandom(500);
        for (int i = 0; i < interrupts && failure.get() == null; i++) {
            int caller = random.nextInt(CALLERS);
            int before = noticed.get(caller);
            callers.get(caller).interrupt();
            for (int wait = 0; noticed.get(caller) == before && failure.get() == null; wait++) {
                assertTrue(wait < MAX_WAITS, "interrupt " + i + " was lost");
                LockSupport.parkNanos(100_000);
            }
        }
    }

    private long callUntilStopped(Table table, int caller) {
        long count = 0;
        while (!stop.get()) {
            table.put(key(caller, count), value(caller, count));
            count++;
            noteInterrupt(caller);
            assertArrayEquals(value(caller, count - 1), table.get(key(caller, count - 1)));
            noteInterrupt(caller);
            if (count % 16 == 0) {
                try (Cursor cursor =
                        table.scan(KeyRange.prefix(new byte[] {(byte) caller}).limit(5))) {
                    assertTrue(cursor.next());
                }
                noteInterrupt(caller);
            }
            if (count % 2_000 == 0) {
                table.flush();
            }
        }
        return count;
    }

    private void noteInterrupt(int caller) {
        if (Thread.interrupted()) {
            noticed.incrementAndGet(caller);
        }
    }

    private static void check(Table table, long[] written) {
        long total = 0;
        for (int caller = 0; caller < CALLERS; caller++) {
            for (long i = Math.max(0, written[caller] - KEYS); i < written[caller]; i++) {
                assertArrayEquals(value(caller, i), table.get(key(caller, i)));
            }
            total += Math.min(KEYS, written[caller]);
        }
        assertEquals(total, table.count(KeyRange.all()));
    }

    private static byte[] key(int caller, long count) {
        return ByteBuffer.allocate(9).put((byte) caller).putLong(count % KEYS).array();
    }

    private static byte[] value(int caller, long count) {
        return ByteBuffer.allocate(200).putInt(caller).putLong(count).array();
    }
}
