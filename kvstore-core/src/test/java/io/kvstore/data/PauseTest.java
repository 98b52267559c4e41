package io.kvstore.data;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No machine is so slow that a pause is shorter than it should be: only the least time is asserted. */
final class PauseTest {

    private static final long NANOS = 20_000_000;

    /** The second pause follows one that has set the flag again, which is as good as an unpark. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void each_pause_of_an_interrupted_thread_has_its_length(boolean isVirtual) throws InterruptedException {
        long[] lengths = new long[2];
        boolean[] isKept = new boolean[lengths.length];
        Thread.Builder builder = isVirtual ? Thread.ofVirtual() : Thread.ofPlatform();
        Thread pausing = builder.start(() -> {
            Thread.currentThread().interrupt();
            for (int i = 0; i < lengths.length; i++) {
                lengths[i] = length();
                isKept[i] = Thread.currentThread().isInterrupted();
            }
        });
        pausing.join();
        for (int i = 0; i < lengths.length; i++) {
            assertTrue(lengths[i] >= NANOS, "pause " + i + " took " + lengths[i] + " ns");
            assertTrue(isKept[i], "the flag is lost");
        }
    }

    @Test
    void a_pause_of_a_thread_that_was_unparked_has_its_length() {
        LockSupport.unpark(Thread.currentThread());
        assertTrue(length() >= NANOS);
        assertFalse(Thread.currentThread().isInterrupted());
    }

    private static long length() {
        long begin = System.nanoTime();
        Pause.nanos(NANOS);
        return System.nanoTime() - begin;
    }
}
