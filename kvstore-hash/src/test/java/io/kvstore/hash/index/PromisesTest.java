package io.kvstore.hash.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class PromisesTest {

    private static final int STEPS = 300_000;

    private static final int PROMISES = 128;
    private static final int ROUNDS = 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final SplittableRandom random = new SplittableRandom(5);
    private final Promises promises = new Promises();
    private final List<Long> expected = new ArrayList<>();

    @Test
    void promises_agree_with_a_list() {
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(20)) {
                case 0 -> addMany();
                case 1, 2, 3, 4, 5, 6 -> add();
                case 7 -> useAll();
                case 8, 9, 10 -> count();
                default -> use();
            }
            assertEquals(expected.size(), promises.open());
        }
    }

    /** Changes that come into the index use their promises, and must not fail halfway for want of memory. */
    @Test
    void promises_are_used_without_memory() {
        assertEquals(0, leastTaken(false), "one promise at a time");
        assertEquals(0, leastTaken(true), "of a long operation");
    }

    /** Of some rounds, because what runs for the first time takes memory once. */
    private long leastTaken(boolean isAtOnce) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long[] hashes = random.longs(PROMISES).toArray();
            if (isAtOnce) {
                promises.add(hashes, PROMISES);
            } else {
                for (long hash : hashes) {
                    promises.add(hash);
                }
            }
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = PROMISES - 1; i > 0; i--) { // against the order in which they are found at once
                promises.use(hashes[i]);
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            promises.use(hashes[0]);
            assertEquals(0, promises.open());
        }
        return least;
    }

    /** Few different hashes, and some of them negative: hashes are unsigned. */
    private long hash() {
        return (long) random.nextInt(40) << 58;
    }

    private void add() {
        long hash = hash();
        promises.add(hash);
        expected.add(hash);
    }

    private void addMany() {
        long[] hashes = new long[random.nextInt(60)];
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = hash();
            expected.add(hashes[i]);
        }
        promises.add(hashes, hashes.length);
    }

    /** Mostly the oldest one. */
    private void use() {
        long hash = expected.isEmpty() || random.nextInt(4) == 0 ? hash() : expected.getFirst();
        boolean isThere = expected.remove((Long) hash);
        assertEquals(isThere, promises.has(hash));
        assertEquals(isThere, promises.use(hash));
    }

    private void useAll() {
        while (!expected.isEmpty()) {
            assertEquals(true, promises.use(expected.removeFirst()));
        }
        assertFalse(promises.has(0));
    }

    private void count() {
        long some = hash();
        long other = hash();
        long first = Long.compareUnsigned(some, other) < 0 ? some : other;
        long last = first == some ? other : some;
        List<Long> between = expected.stream()
                .filter(hash -> Long.compareUnsigned(hash, first) >= 0 && Long.compareUnsigned(hash, last) <= 0)
                .sorted(Long::compareUnsigned)
                .toList();
        assertEquals(between.size(), promises.countIn(first, last));
        if (!between.isEmpty()) {
            assertEquals(between.getFirst(), promises.firstIn(first));
            assertEquals(between.getLast(), promises.lastIn(last));
        }
    }
}
