package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.StoreClosedException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Closing a store waits for the jobs that have files in its directory. */
final class ScratchDirectoryTest {

    private static final int STEPS = 60_000;
    private static final long STEP_NANOS = 1_000_000;
    private static final long END_NANOS = 200_000_000;

    /** Makes steps until the store is being closed, and takes its time to end then. */
    private static boolean work(OpenStore store, CountDownLatch begun) {
        try (ScratchDirectory _ = store.scratch()) {
            begun.countDown();
            for (int step = 0; step < STEPS; step++) {
                boolean _ = store.call("a step", () -> true);
                LockSupport.parkNanos(STEP_NANOS);
            }
            return false;
        } catch (StoreClosedException e) {
            return true;
        }
    }

    private static boolean workAndEndSlowly(OpenStore store, CountDownLatch begun) {
        try (ScratchDirectory _ = store.scratch()) {
            boolean isClosed = work(store, begun);
            LockSupport.parkNanos(END_NANOS);
            return isClosed;
        }
    }

    @Test
    void a_thread_that_was_interrupted_waits_for_a_job_all_the_same() throws Exception {
        OpenStore store = WatchedEngine.open(1_000, (method, arguments) -> {});
        CountDownLatch begun = new CountDownLatch(1);
        FutureTask<Boolean> job = new FutureTask<>(() -> workAndEndSlowly(store, begun));
        Thread.ofPlatform().daemon().start(job);
        begun.await();
        Thread.currentThread().interrupt();
        store.close();
        assertTrue(Thread.interrupted(), "the flag of the interrupt is lost");
        assertTrue(store.hasEnded(), "the directory stays locked");
        assertTrue(job.get(1, TimeUnit.MINUTES), "the job was not told");
    }
}
