package io.kvstore.error;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** How much of a stack the probe of it keeps free: a recursion ends sooner where it probes at each depth. */
final class StackProbeTest {

    private static final int STACK_BYTES = 512 << 10;

    /** The code is interpreted in the first rounds, and compiled in most of them. */
    private static final int ROUNDS = 61;

    /** The room that writing to a file and syncing it takes. */
    private static final int LEAST_ROOM_BYTES = 4 << 10;

    private final int[] rooms = new int[ROUNDS];
    private int depth;

    /** All in one thread, because the stack of another may be larger than was asked for. */
    @Test
    void room_is_kept_for_giving_back() throws InterruptedException {
        Thread thread = new Thread(null, () -> measure(StackProbe::run), "deep", STACK_BYTES);
        thread.start();
        thread.join();
        Arrays.sort(rooms);
        int room = rooms[ROUNDS / 2];
        assertTrue(room >= LEAST_ROOM_BYTES, room + " bytes, of " + Arrays.toString(rooms));
    }

    private void measure(Runnable probe) {
        for (int i = 0; i < ROUNDS; i++) {
            deepest(Thread::onSpinWait); // where three are called, none becomes a part of the frames that are counted
            deepest(System::nanoTime);
            int all = deepest(() -> {});
            rooms[i] = (int) ((long) (all - deepest(probe)) * STACK_BYTES / all); // a frame is larger if interpreted
        }
    }

    private int deepest(Runnable probe) {
        depth = 0;
        try {
            descend(probe);
        } catch (StackOverflowError e) {
            // as deep as it goes
        }
        return depth;
    }

    private int descend(Runnable probe) {
        probe.run();
        depth++;
        return depth == Integer.MAX_VALUE ? 0 : descend(probe) + 1;
    }
}
