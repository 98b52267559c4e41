package io.kvstore.server.http.chain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class WorkersTest {

    private static final long LONGEST_MILLIS = 60_000;

    /** A system that has so many threads. The JVM fails in this way, too, when a thread is started. */
    private static Workers workers(int threads) {
        AtomicInteger left = new AtomicInteger(threads);
        return new Workers(4, (work, name) -> {
            if (left.decrementAndGet() < 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(work, name);
        });
    }

    @Test
    void without_a_further_thread_one_that_is_there_does_the_work() throws Exception {
        Workers workers = workers(1);
        Queue<String> done = new ConcurrentLinkedQueue<>();
        CountDownLatch more = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(2);
        workers.execute(() -> {
            try {
                done.add("first " + more.await(LONGEST_MILLIS, TimeUnit.MILLISECONDS));
                all.countDown();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        workers.execute(() -> {
            done.add("second");
            all.countDown();
        });
        more.countDown();
        assertTrue(all.await(LONGEST_MILLIS, TimeUnit.MILLISECONDS));
        assertTrue(workers.end(LONGEST_MILLIS));
        assertEquals(List.of("first true", "second"), List.copyOf(done));
    }

    @Test
    void without_any_thread_work_is_refused() {
        Workers workers = workers(0);
        assertThrows(RejectedExecutionException.class, () -> workers.execute(() -> {}));
        assertTrue(workers.end(LONGEST_MILLIS));
    }

    @Test
    void work_that_waits_for_something_is_interrupted_at_the_end() throws Exception {
        Workers workers = new Workers(1);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Queue<String> done = new ConcurrentLinkedQueue<>();
        workers.execute(() -> {
            begun.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                done.add("interrupted");
            }
        });
        assertTrue(begun.await(LONGEST_MILLIS, TimeUnit.MILLISECONDS));
        assertTrue(workers.end(LONGEST_MILLIS));
        assertEquals(List.of("interrupted"), List.copyOf(done));
    }
}
