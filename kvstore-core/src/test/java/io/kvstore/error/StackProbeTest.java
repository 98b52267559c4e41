package io.kvstore.error;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** How much of a stack the probe of it keeps free: a recursion ends sooner where it probes at each depth. */
final class StackProbeTest {

    private static final int SMALL_STACK_BYTES = 256 << 10;
    private static final int LARGE_STACK_BYTES = 512 << 10;

    /** Code is interpreted in the first of them, then compiled once and again; most of them see what comes of that. */
    private static final int ROUNDS = 41;

    private static final int LEAST_ROOM_BYTES = 1 << 10;
    private static final int LEAST_ROOM_FOR_LONG_BYTES = 8 << 10;

    private int depth;

    private enum Probe {
        NONE,
        SHORT,
        LONG
    }

    @Test
    void room_is_kept_for_giving_back() throws InterruptedException {
        long room = medianRoom(Probe.SHORT);
        assertTrue(room >= LEAST_ROOM_BYTES, room + " bytes");
    }

    @Test
    void more_is_kept_for_work_with_files() throws InterruptedException {
        long room = medianRoom(Probe.LONG);
        assertTrue(room >= LEAST_ROOM_FOR_LONG_BYTES, room + " bytes");
    }

    private long medianRoom(Probe probe) throws InterruptedException {
        long[] rooms = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            int small = deepest(Probe.NONE, SMALL_STACK_BYTES);
            int large = deepest(Probe.NONE, LARGE_STACK_BYTES);
            int probed = deepest(probe, LARGE_STACK_BYTES);
            double frameBytes = (double) (LARGE_STACK_BYTES - SMALL_STACK_BYTES) / (large - small);
            rooms[i] = Math.round(frameBytes * (large - probed));
        }
        Arrays.sort(rooms);
        return rooms[ROUNDS / 2];
    }

    private int deepest(Probe probe, int stackBytes) throws InterruptedException {
        Thread thread = new Thread(
                null,
                () -> {
                    depth = 0;
                    try {
                        descend(probe);
                    } catch (StackOverflowError e) {
                        // as deep as it goes
                    }
                },
                "deep",
                stackBytes);
        thread.start();
        thread.join();
        return depth;
    }

    private int descend(Probe probe) {
        if (probe == Probe.SHORT) {
            StackProbe.forShort();
        } else if (probe == Probe.LONG) {
            StackProbe.forLong();
        }
        depth++;
        return depth == Integer.MAX_VALUE ? 0 : descend(probe) + 1;
    }
}
