package io.kvstore.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.OverloadedException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class PatienceTest {

    private static final int REFUSALS = 5;

    private int attempts;

    /** A thread that stays interrupted makes no pauses: six minutes of patience were over at once. */
    @Test
    void an_interrupt_takes_no_patience() throws IOException {
        Thread.currentThread().interrupt();
        Patience.untilDone(() -> {
            if (attempts++ > 0) {
                assertFalse(Thread.currentThread().isInterrupted(), "the next pause has no length");
            }
            if (attempts <= REFUSALS) {
                throw new OverloadedException("for the test");
            }
        });
        assertEquals(REFUSALS + 1, attempts);
        assertTrue(Thread.interrupted(), "the flag is lost");
    }
}
