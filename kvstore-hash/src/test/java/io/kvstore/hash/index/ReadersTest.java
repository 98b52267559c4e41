package io.kvstore.hash.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.kvstore.data.KeyHash;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.Sweeps;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Readers beside a writer that makes a page larger at each step, so that memory which readers look at becomes that of other
 * pages all the time. What a place had is gone as soon as it was replaced, as after a compaction.
 */
@Tag("races")
final class ReadersTest {

    private static final int READERS = 2;
    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(Sweeps.count(1_000, 2_500));

    /** Keys that are always there. */
    private static final int KEPT = 40;

    /** Keys that come and go are below this number, and keys that never come are above it. */
    private static final int KEYS = 400;

    private static final int STEPS = 1_200;
    private static final int GONE = -1;

    private final MemoryBudget budget = new MemoryBudget(1L << 30);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /** One index, from empty to a few hundred pages. */
    private final class Round {
        private final TableHash hash;
        private final Directory index = new Directory(budget);
        private final AtomicIntegerArray keyOfPlace = new AtomicIntegerArray(KEPT + STEPS + 1);
        private final long[] placeOfKey = new long[KEYS];
        private final SplittableRandom random;
        private int places;
        private volatile boolean isOver;

        Round(int hashBits, long seed) {
            hash = new TableHash(new KeyHash(seed), hashBits);
            random = new SplittableRandom(seed);
        }

        private long hash(int key) {
            return hash.of(new byte[] {(byte) (key >>> 8), (byte) key});
        }

        private void put(int key) {
            long hashOfKey = hash(key);
            long before = placeOfKey[key];
            long place = ++places;
            keyOfPlace.set((int) place, key);
            assertEquals(Room.RESERVED, index.reserve(hashOfKey));
            if (before == Directory.ABSENT) {
                index.insert(hashOfKey, place);
            } else {
                index.replace(hashOfKey, before, place);
                index.cancel(hashOfKey);
                keyOfPlace.set((int) before, GONE);
            }
            placeOfKey[key] = place;
        }

        private void remove(int key) {
            long before = placeOfKey[key];
            if (before != Directory.ABSENT) {
                index.remove(hash(key), before);
                keyOfPlace.set((int) before, GONE);
                placeOfKey[key] = Directory.ABSENT;
            }
        }

        private void write() {
            for (int step = 0; step < STEPS; step++) {
                int key = random.nextInt(KEYS);
                if (key < KEPT || random.nextBoolean()) {
                    put(key);
                } else {
                    remove(key);
                }
                index.growth().tryGrow(hash(random.nextInt(KEYS)));
            }
        }

        private void read(long seed) {
            SplittableRandom own = new SplittableRandom(seed);
            while (!isOver) {
                int kept = own.nextInt(KEPT);
                if (find(kept) == Directory.ABSENT) {
                    failure.compareAndSet(null, new AssertionError("key " + kept + " is there, and was not found"));
                }
                int never = KEYS + own.nextInt(KEYS);
                if (find(never) != Directory.ABSENT) {
                    failure.compareAndSet(null, new AssertionError("key " + never + " was found, and never came"));
                }
                find(KEPT + own.nextInt(KEYS - KEPT));
            }
        }

        private long find(int key) {
            try {
                return index.find(hash(key), place -> keyOfPlace.get((int) place) == key);
            } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
                return Directory.ABSENT;
            }
        }

        void run() throws InterruptedException {
            for (int key = 0; key < KEPT; key++) {
                put(key);
            }
            List<Thread> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                long seed = i;
                readers.add(Thread.ofPlatform().start(() -> read(seed)));
            }
            try {
                write();
            } finally {
                isOver = true;
                for (Thread reader : readers) {
                    reader.join();
                }
                index.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 3})
    void readers_find_what_is_there_and_nothing_else_while_each_step_grows_a_page(int hashBits) throws Exception {
        long end = System.nanoTime() + NANOS;
        for (long seed = 1; System.nanoTime() < end && failure.get() == null; seed++) {
            new Round(hashBits, seed).run();
        }
        Throwable found = failure.get();
        assertNull(found, () -> "a reader failed: " + found);
        assertEquals(0, budget.usedBytes());
    }
}
