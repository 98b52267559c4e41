package io.kvstore.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.OverloadedException;
import io.kvstore.testkit.InterruptedThread;
import org.junit.jupiter.api.Test;

final class PatienceTest {

    private static final int REFUSALS = 5;

    private int attempts;

    /** A thread that stays interrupted makes no pauses: six minutes of patience were over at once. */
    @Test
    void an_interrupt_takes_no_patience() throws InterruptedException {
        InterruptedThread patient = InterruptedThread.start(() -> Patience.untilDone(() -> {
            if (attempts++ < REFUSALS) {
                throw new OverloadedException("for the test");
            }
        }));
        patient.end();
        assertEquals(REFUSALS + 1, attempts);
        assertTrue(patient.hasPaused(REFUSALS), "an attempt follows another without a pause");
    }
}
