package io.kvstore.hash.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class PromisesTest {

    private static final int STEPS = 300_000;

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
