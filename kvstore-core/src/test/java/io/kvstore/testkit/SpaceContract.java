package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.error.DiskFullException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The files of a table take at most twice what is alive, a constant, and what snapshots pin: at every moment while it is
 * overwritten, whoever does the background work and however late, and little when it rests.
 */
public abstract class SpaceContract {

    private static final long LIVE_BYTES = 2 << 20;
    private static final int TIMES = Sweeps.count(3, 5);
    private static final int LOOK_EVERY = 16;
    private static final int WRITERS = 8;
    private static final long PLENTY = Long.MAX_VALUE / 2;
    private static final long SETTLE_MILLIS = 5_000;
    private static final long LOG_BYTES = 4 << 20;
    private static final int MOST_TRIES = 5;

    /** Entries have a key, a head, a place in an index. */
    private static final int ENTRY_BYTES = 40;

    private final SimStorage disk = new SimStorage();
    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final SplittableRandom random = new SplittableRandom(1);

    /** Of the tables. */
    protected abstract String engine();

    /** Of a table with little memory, whose files are small. */
    protected abstract Properties properties();

    /** What files may take beside twice what is alive. */
    protected abstract long constantBytes();

    /** What the table needs of a disk beside twice what is alive: less than {@link #constantBytes}. */
    protected abstract long smallDiskBytes();

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private KVStoreOptions options() {
        return KVStoreOptions.defaults()
                .withStorage(disk)
                .withClock(clock)
                .withBackground(background)
                .withWalSegmentBytes(1 << 20);
    }

    private Table table(KVStore store, boolean log) {
        store.createDB("db");
        Properties all = new Properties();
        all.putAll(properties());
        all.put("ENABLE_WAL", log);
        return store.createTable("db", "t", engine(), all);
    }

    /** Bytes of all files below the tables' directory. */
    private long takenBytes() {
        try {
            long logBytes = 0;
            for (String name : disk.list("wal")) {
                logBytes += disk.sizeOf("wal/" + name);
            }
            return PLENTY - disk.freeBytes() - logBytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void requireBound(long liveBytes, long moreBytes) {
        long taken = takenBytes();
        long allowed = 2 * liveBytes + constantBytes() + moreBytes;
        assertTrue(
                taken <= allowed, () -> taken + " bytes on the disk, for " + liveBytes + " alive at most " + allowed);
    }

    /** Background work is done only by who waits for it: each step as late as it can be. */
    @ParameterizedTest
    @CsvSource({"100, false", "100, true", "1000, false", "1000, true", "65536, false", "65536, true", "1048576, false"
    })
    void overwriting_never_takes_more(int valueBytes, boolean log) {
        int keys = Math.max(2, (int) (LIVE_BYTES / (valueBytes + ENTRY_BYTES)));
        long live = (long) keys * (valueBytes + ENTRY_BYTES);
        try (KVStore store = new KVStore(Path.of("unused"), options())) {
            Table table = table(store, log);
            for (int i = 0; i < keys; i++) {
                table.put(key(i), new byte[valueBytes]);
            }
            for (int i = 0; i < TIMES * keys; i++) {
                table.put(key(random.nextInt(keys)), new byte[valueBytes]);
                if (i % LOOK_EVERY == 0 || valueBytes > 1_000) {
                    requireBound(live, 2L * valueBytes);
                }
                if (random.nextInt(keys) == 0) {
                    background.runNext();
                }
            }
            assertEquals(keys, table.count(KeyRange.all()));
            assertEquals(0, store.verify().total());
        }
        assertEquals(List.of(), background.failures());
    }

    /** Nobody calls anything: what is left after a while is what has to be there. */
    @ParameterizedTest
    @CsvSource({"100, 10", "1000, 10", "65536, 3", "131072, 1", "1000, 0"})
    void table_at_rest_settles(int valueBytes, int left) {
        int keys = (int) (LIVE_BYTES / (valueBytes + ENTRY_BYTES));
        try (KVStore store = new KVStore(Path.of("unused"), options())) {
            Table table = table(store, false);
            for (int i = 0; i < 3 * keys; i++) {
                table.put(key(i % keys), new byte[valueBytes]);
            }
            table.flush();
            for (int i = left; i < keys; i++) {
                table.remove(key(i));
            }
            background.tick(SETTLE_MILLIS);
            assertEquals(left, table.count(KeyRange.all()));
            long live = (long) left * (valueBytes + ENTRY_BYTES);
            long taken = takenBytes();
            assertTrue(taken < 2 * live + constantBytes() / 4, taken + " bytes stay for " + live);
        }
    }

    /** Also what small values left behind that are kept beside their keys, in pages that were written again and again. */
    @Test
    void overwritten_table_at_rest_settles() {
        int valueBytes = 100;
        int keys = (int) (LIVE_BYTES / (valueBytes + ENTRY_BYTES));
        try (KVStore store = new KVStore(Path.of("unused"), options())) {
            Table table = table(store, false);
            for (int i = 0; i < TIMES * keys; i++) {
                table.put(key(i < keys ? i : random.nextInt(keys)), new byte[valueBytes]);
                if (random.nextInt(keys / 2) == 0) {
                    table.flush();
                }
            }
            background.tick(SETTLE_MILLIS);
            long taken = takenBytes();
            assertTrue(taken < 3 * LIVE_BYTES / 2, taken + " bytes stay for " + LIVE_BYTES);
            assertEquals(keys, table.count(KeyRange.all()));
            assertEquals(0, store.verify().total());
        }
    }

    /** What a snapshot pins does not make writers wait, and goes with it. */
    @Test
    void snapshot_pins_what_it_sees_and_no_more() {
        int valueBytes = 1_000;
        int keys = (int) (LIVE_BYTES / (valueBytes + ENTRY_BYTES));
        long live = (long) keys * (valueBytes + ENTRY_BYTES);
        try (KVStore store = new KVStore(Path.of("unused"), options())) {
            Table table = table(store, false);
            for (int i = 0; i < keys; i++) {
                table.put(key(i), new byte[valueBytes]);
            }
            try (var snapshot = store.snapshot()) {
                for (int i = 0; i < TIMES * keys; i++) {
                    table.put(key(random.nextInt(keys)), new byte[valueBytes]);
                    if (i % LOOK_EVERY == 0) {
                        requireBound(live, 2 * live);
                    }
                }
                assertArrayEquals(new byte[valueBytes], snapshot.get(table, key(7)));
            }
            background.tick(SETTLE_MILLIS);
            requireBound(live, 0);
        }
    }

    /** The disk has less than the files may take: what fills it is the table's own garbage, so there is always a way on. */
    @ParameterizedTest
    @CsvSource({"100, false", "1000, false", "1000, true", "20000, false", "65536, true"})
    void small_disk_is_filled_by_garbage_for_a_moment_only(int valueBytes, boolean log) {
        int keys = (int) (LIVE_BYTES / (valueBytes + ENTRY_BYTES));
        long live = (long) keys * (valueBytes + ENTRY_BYTES);
        disk.setCapacity(2 * live + smallDiskBytes() + (log ? LOG_BYTES : 0));
        KVStoreOptions options = options().withCheckpointLogBytes(LOG_BYTES / 4).withWalSegmentBytes(LOG_BYTES / 16);
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            Table table = table(store, log);
            for (int i = 0; i < TIMES * keys; i++) {
                put(table, key(i < keys ? i : random.nextInt(keys)), new byte[valueBytes]);
                if (random.nextInt(keys) == 0) {
                    background.runNext();
                }
            }
            assertEquals(keys, table.count(KeyRange.all()));
            assertEquals(0, store.verify().total());
        }
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            assertEquals(keys, store.table("db", "t").count(KeyRange.all()));
        }
        assertEquals(List.of(), background.failures());
    }

    /** A put that is refused while the disk is full is taken a moment later. */
    private void put(Table table, byte[] key, byte[] value) {
        for (int tries = 1; ; tries++) {
            try {
                table.put(key, value);
                return;
            } catch (DiskFullException e) {
                assertTrue(tries < MOST_TRIES, () -> "the disk stays full: " + e);
                background.tick(SETTLE_MILLIS);
            }
        }
    }

    /** Threads as in a program, none of which is told to wait for others. */
    @Test
    void many_writers_never_take_more() throws Exception {
        int valueBytes = 1_000;
        int keys = (int) (LIVE_BYTES / (valueBytes + ENTRY_BYTES));
        long live = (long) keys * (valueBytes + ENTRY_BYTES);
        try (KVStore store =
                        new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(disk));
                ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            Table table = table(store, false);
            for (int i = 0; i < keys; i++) {
                table.put(key(i), new byte[valueBytes]);
            }
            List<Callable<Void>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                SplittableRandom own = random.split();
                writers.add(() -> {
                    for (int n = 0; n < TIMES * keys / 2; n++) {
                        table.put(key(own.nextInt(keys)), new byte[valueBytes]);
                        if (n % LOOK_EVERY == 0) {
                            requireBound(live, 2L * WRITERS * valueBytes);
                        }
                    }
                    return null;
                });
            }
            for (Future<Void> writer : threads.invokeAll(writers)) {
                writer.get();
            }
            assertEquals(keys, table.count(KeyRange.all()));
        }
    }
}
