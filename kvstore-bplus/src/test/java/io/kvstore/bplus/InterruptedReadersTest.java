package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.InterruptedThread;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Readers whose thread is interrupted. */
final class InterruptedReadersTest {

    private static final int MANY_ATTEMPTS = 1_000;

    @Test
    void an_interrupted_reader_makes_pauses_between_many_attempts() throws IOException, InterruptedException {
        try (TestTree table = new TestTree(3, 1 << 20, () -> new long[0], null)) {
            InterruptedThread reading = InterruptedThread.start(() -> {
                table.reader().pause(MANY_ATTEMPTS);
                table.reader().pause(MANY_ATTEMPTS + 1);
            });
            reading.end();
            assertTrue(reading.hasPaused(2), "it keeps the writer from its processor");
        }
    }
}
