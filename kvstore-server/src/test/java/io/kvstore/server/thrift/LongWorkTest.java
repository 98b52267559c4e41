package io.kvstore.server.thrift;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.server.edge.Lifecycle;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

final class LongWorkTest {

    private final LongWork work = new LongWork(new Lifecycle(1));

    @Test
    void the_result_is_that_of_the_work() {
        assertEquals(7, work.run(() -> 7));
        assertThrows(ArithmeticException.class, () -> work.run(() -> Math.addExact(Long.MAX_VALUE, 1)));
    }

    @Test
    void a_connection_that_is_interrupted_stays_so() {
        Semaphore end = new Semaphore(0);
        Thread.currentThread().interrupt();
        try {
            assertThrows(
                    IllegalStateException.class,
                    () -> work.run(() -> {
                        end.acquireUninterruptibly();
                        return 0;
                    }));
        } finally {
            end.release();
            assertTrue(Thread.interrupted(), "the flag is lost");
        }
    }
}
