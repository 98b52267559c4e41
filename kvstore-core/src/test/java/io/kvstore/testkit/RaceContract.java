package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Readers without locks beside one writer and all background work of a small table, on real files: every value that is read is
 * one that was put for that key, whole, and not older than what was acknowledged before; no value is found only where none
 * was put yet, or a removal is not older than that. {@code -Dkv.race.seconds} and
 * {@code -Dkv.race.writes} make it longer, and what takes more than five minutes needs {@code -Dkv.test.timeout} too. It
 * tells how long puts took.
 */
@Tag("races")
public abstract class RaceContract {

    private static final System.Logger LOG = System.getLogger(RaceContract.class.getName());

    private static final int KEYS = 3_000;
    private static final int READERS = 4;

    /** Of the writes of a key each so many-th removes it. */
    private static final int REMOVED_EVERY = 5;

    private static final int WRITES = Integer.getInteger("kv.race.writes", Sweeps.count(10_000, 40_000));
    private static final long NANOS = TimeUnit.SECONDS.toNanos(Long.getLong("kv.race.seconds", 0));
    private static final int HEAD_BYTES = 16;
    private static final long JOIN_MILLIS = 120_000;

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicLongArray started = new AtomicLongArray(KEYS);
    private final AtomicLongArray acknowledged = new AtomicLongArray(KEYS);
    private final AtomicLong reads = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean done;

    @TempDir
    private Path directory;

    private final long[] putsByMagnitude = new long[Long.SIZE];

    /** The name of the engine. */
    protected abstract String engine();

    /** Parameters that make buffers small. */
    protected abstract Properties properties();

    /** What value files may have beside live values and the bound of dead ones. */
    protected abstract long spareBytes();

    private static byte[] key(int number) {
        return ByteBuffer.allocate(12).putInt(number * 7).putLong(number).array();
    }

    private static byte[] value(int key, long count, int length) {
        byte[] value = new byte[HEAD_BYTES + length];
        Arrays.fill(value, (byte) count);
        ByteBuffer.wrap(value).putLong(key).putLong(count);
        return value;
    }

    private void checkValue(int key, byte[] value, long least) {
        ByteBuffer in = ByteBuffer.wrap(value);
        long foundKey = in.getLong();
        long count = in.getLong();
        boolean isWhole = foundKey == key;
        while (in.hasRemaining()) {
            isWhole &= in.get() == (byte) count;
        }
        assertTrue(isWhole, "key " + key + " has a value of key " + foundKey + ", or a torn one");
        assertTrue(count >= least && count <= started.get(key), "key " + key + " has " + count + ", not from " + least);
        assertFalse(isRemoval(count), "key " + key + " has a value of a removal");
    }

    private static boolean isRemoval(long count) {
        return count % REMOVED_EVERY == 0;
    }

    /** @param least the write that was acknowledged before the key was looked for */
    private void checkAbsent(int key, long least) {
        long last = started.get(key);
        boolean wasRemoved = last / REMOVED_EVERY > (least - 1) / REMOVED_EVERY;
        assertTrue(least == 0 || wasRemoved, "key " + key + " is missing, and has had writes " + least + " to " + last);
    }

    /** Nobody interrupts these threads; closing what one of them reads would. */
    private static void checkNotInterrupted() {
        assertFalse(Thread.interrupted(), "a call left its thread interrupted");
    }

    private void start(Runnable body) {
        threads.add(Thread.ofPlatform()
                .uncaughtExceptionHandler((thread, e) -> failure.compareAndSet(null, e))
                .start(body));
    }

    @Test
    void readers_beside_a_writer_and_background_work() throws IOException, InterruptedException {
        KVStoreOptions options = KVStoreOptions.defaults()
                .withDurability(Durability.BUFFERED)
                .withWalSegmentBytes(4 << 20)
                .withCheckpointLogBytes(8 << 20);
        try (KVStore store = new KVStore(directory, options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", engine(), properties());
            for (int seed = 0; seed < READERS; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                start(() -> get(table, random));
            }
            start(() -> scan(table));
            start(() -> snapshots(store, table));
            start(() -> {
                while (!done) {
                    table.flush();
                    checkNotInterrupted();
                }
            });
            start(() -> {
                while (!done) {
                    assertEquals(List.of(), table.verify().kept());
                }
            });
            write(table);
            done = true;
            for (Thread thread : threads) {
                thread.join(JOIN_MILLIS);
            }
            assertNull(failure.get(), () -> "a thread failed: " + failure.get());
            assertEquals(List.of(), store.verify().kept());
            checkSpace(table);
            checkOpenFiles();
        }
        assertEquals(List.of(), openFiles(), "the store is closed");
        assertTrue(reads.get() > 1_000, "too few reads");
        try (KVStore store = new KVStore(directory, options)) {
            checkAll(store.table("db", "t"));
        }
    }

    /** When all is at rest, files that were removed are closed, and each of the others is open and mapped once or twice. */
    private void checkOpenFiles() throws IOException {
        List<String> open = openFiles();
        assertEquals(
                List.of(),
                open.stream().filter(name -> name.endsWith("(deleted)")).toList());
        try (Stream<Path> files = Files.walk(directory)) {
            long most = 3 * files.filter(Files::isRegularFile).count();
            assertTrue(open.size() <= most, most / 3 + " files, open and mapped: " + open);
        }
    }

    /** What of the store this process has open or mapped, where the system tells. */
    private List<String> openFiles() throws IOException {
        List<String> open = new ArrayList<>();
        Path maps = Path.of("/proc/self/maps");
        if (Files.isReadable(maps)) {
            try (Stream<String> lines = Files.lines(maps)) {
                lines.filter(line -> line.contains(directory.toString())).forEach(open::add);
            }
            try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
                descriptors
                        .map(RaceContract::target)
                        .filter(name -> name.startsWith(directory.toString()))
                        .forEach(open::add);
            }
        }
        return open;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    /** When all is at rest, values take what is alive, the bound of what is dead, and one segment. */
    private void checkSpace(Table table) throws IOException {
        table.optimize(Progress.NONE);
        Map<String, Double> measures = new HashMap<>();
        EngineStats stats = Objects.requireNonNull(table.stats().engine());
        stats.measures().forEach(measure -> measures.put(measure.name(), measure.value()));
        long bytes = 0;
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                bytes += file.toString().endsWith(".val") ? Files.size(file) : 0;
            }
        }
        double live = measures.getOrDefault("value_live_bytes", 0.0);
        assertTrue(bytes <= 1.35 * live + spareBytes(), bytes + " bytes of values for " + measures);
    }

    private void write(Table table) {
        SplittableRandom random = new SplittableRandom(99);
        long end = System.nanoTime() + NANOS;
        for (int i = 0; (i < WRITES || System.nanoTime() < end) && failure.get() == null; i++) {
            int key = random.nextInt(KEYS);
            long count = started.get(key) + 1;
            started.set(key, count);
            int length = random.nextInt(random.nextInt(20) == 0 ? 6_000 : 200);
            byte[] value = value(key, count, length);
            long begin = System.nanoTime();
            if (isRemoval(count)) {
                table.remove(key(key));
            } else {
                table.put(key(key), value);
            }
            checkNotInterrupted();
            putsByMagnitude[Long.SIZE - Long.numberOfLeadingZeros((System.nanoTime() - begin) / 1_000)]++;
            acknowledged.set(key, count);
        }
        tell();
    }

    private void tell() {
        StringBuilder line = new StringBuilder("puts that took less than");
        for (int i = 0; i < putsByMagnitude.length; i++) {
            if (putsByMagnitude[i] > 0) {
                line.append("; ").append(1L << i).append(" us: ").append(putsByMagnitude[i]);
            }
        }
        LOG.log(System.Logger.Level.INFO, line + "; gets beside them: " + reads.get());
    }

    private void get(Table table, SplittableRandom random) {
        while (!done) {
            int key = random.nextInt(KEYS);
            long least = acknowledged.get(key);
            byte[] value = table.get(key(key));
            checkNotInterrupted();
            if (value == null) {
                checkAbsent(key, least);
            } else {
                checkValue(key, value, least);
            }
            assertNull(table.get(key(KEYS + key)), "a key that was never put has a value");
            reads.incrementAndGet();
        }
    }

    private void scan(Table table) {
        for (boolean reversed = false; !done; reversed = !reversed && table.isOrdered()) {
            int last = reversed ? Integer.MAX_VALUE : -1;
            Set<Integer> passed = new HashSet<>();
            try (Cursor cursor = table.scan(reversed ? KeyRange.all().reverse() : KeyRange.all())) {
                while (cursor.next()) {
                    checkNotInterrupted();
                    int key = (int) ByteBuffer.wrap(cursor.key()).getLong(4);
                    boolean isNext = table.isOrdered() ? reversed ? key < last : key > last : passed.add(key);
                    assertTrue(isNext, key + " after " + last);
                    checkValue(key, cursor.value(), 0);
                    last = key;
                }
            }
        }
    }

    /** What a snapshot shows does not change. */
    private void snapshots(KVStore store, Table table) {
        while (!done) {
            try (Snapshot snapshot = store.snapshot()) {
                for (int key = 0; key < KEYS; key += 97) {
                    byte[] first = snapshot.get(table, key(key));
                    byte[] again = snapshot.get(table, key(key));
                    assertTrue(Arrays.equals(first, again), "a snapshot changed");
                    checkNotInterrupted();
                }
            }
        }
    }

    private void checkAll(Table table) {
        int count = 0;
        for (int key = 0; key < KEYS; key++) {
            byte[] value = table.get(key(key));
            if (value != null) {
                checkValue(key, value, started.get(key));
                count++;
            } else {
                assertTrue(isRemoval(started.get(key)), "key " + key + " is missing");
            }
        }
        assertEquals(count, table.count(KeyRange.all()));
    }
}
