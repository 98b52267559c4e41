package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Updates that fail take turns, and no thread waits for its own turn. */
final class UpdateTurnsTest {

    private final UpdateTurns turns = new UpdateTurns(TimeUnit.HOURS.toNanos(1));
    private final List<Thread> others = new ArrayList<>();

    private static byte[] key(int number) {
        return new byte[] {(byte) number};
    }

    /** An attempt that fails so often that its thread has a turn. */
    private void runInTurn(int hash, Runnable inTurn) {
        AtomicInteger runs = new AtomicInteger();
        turns.run(1, key(hash), () -> {
            if (runs.incrementAndGet() <= UpdateTurns.TRIES) {
                return false;
            }
            inTurn.run();
            return true;
        });
        assertEquals(UpdateTurns.TRIES + 1, runs.get());
    }

    /** Whether another thread waits for a turn. It is left waiting. */
    private boolean isTaken(int hash) {
        AtomicInteger done = new AtomicInteger();
        Thread other = new Thread(() -> turns.run(1, key(hash), () -> done.incrementAndGet() > 0));
        others.add(other);
        other.start();
        while (other.getState() != Thread.State.TIMED_WAITING && other.isAlive()) {
            Thread.onSpinWait();
        }
        return done.get() == 0;
    }

    private void joinOthers() throws InterruptedException {
        for (Thread other : others) {
            other.join();
        }
    }

    @Test
    void who_fails_three_times_keeps_later_ones_out() throws Exception {
        for (int failures = 0; failures <= UpdateTurns.TRIES; failures++) {
            AtomicInteger left = new AtomicInteger(failures);
            AtomicBoolean taken = new AtomicBoolean();
            turns.run(1, key(5), () -> {
                if (left.getAndDecrement() > 0) {
                    return false;
                }
                taken.set(isTaken(5));
                assertFalse(isTaken(6), "another key");
                return true;
            });
            assertEquals(failures == UpdateTurns.TRIES, taken.get(), failures + " failures");
            joinOthers();
        }
    }

    @Test
    void a_turn_ends_with_what_its_function_throws() {
        assertThrows(
                IllegalStateException.class,
                () -> runInTurn(5, () -> {
                    throw new IllegalStateException("of the function");
                }));
        assertFalse(isTaken(5));
    }

    @Test
    void an_update_within_an_update_needs_no_turn() throws Exception {
        runInTurn(5, () -> {
            runInTurn(5, () -> {});
            runInTurn(6, () -> assertFalse(isTaken(6)));
            assertTrue(isTaken(5), "the outer one still has it");
        });
        joinOthers();
        assertFalse(isTaken(5));
    }

    /** Two updates, each of which makes the other's update within its own. */
    @Test
    void updates_that_cross_do_not_wait_for_each_other() throws Exception {
        CyclicBarrier bothHaveTurns = new CyclicBarrier(2);
        AtomicInteger done = new AtomicInteger();
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            Future<?> one = pool.submit(() -> cross(5, 6, bothHaveTurns, done));
            Future<?> other = pool.submit(() -> cross(6, 5, bothHaveTurns, done));
            one.get();
            other.get();
        }
        assertEquals(2, done.get());
    }

    private void cross(int hash, int within, CyclicBarrier bothHaveTurns, AtomicInteger done) {
        runInTurn(hash, () -> {
            await(bothHaveTurns);
            turns.run(1, key(within), () -> done.incrementAndGet() > 0);
            await(bothHaveTurns);
        });
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The thread that has the turn waits for this one. */
    @Test
    void who_waits_in_vain_goes_on_and_stays_interrupted() {
        UpdateTurns impatient = new UpdateTurns(1_000_000);
        AtomicBoolean interrupted = new AtomicBoolean();
        AtomicInteger left = new AtomicInteger(UpdateTurns.TRIES);
        impatient.run(1, key(5), () -> {
            if (left.getAndDecrement() > 0) {
                return false;
            }
            Thread other = new Thread(() -> {
                Thread.currentThread().interrupt();
                impatient.run(1, key(5), () -> true);
                interrupted.set(Thread.currentThread().isInterrupted());
            });
            other.start();
            try {
                other.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return true;
        });
        assertTrue(interrupted.get());
    }

    /** An update that did not wait any longer, and failed, waits for the next turn. */
    @Test
    void who_goes_on_without_a_turn_and_fails_queues_again() throws Exception {
        UpdateTurns impatient = new UpdateTurns(1_000_000);
        CountDownLatch tried = new CountDownLatch(1);
        AtomicInteger tries = new AtomicInteger();
        AtomicInteger own = new AtomicInteger();
        AtomicBoolean hasEnded = new AtomicBoolean();
        AtomicBoolean cameBefore = new AtomicBoolean();
        Thread other = new Thread(() -> impatient.run(1, key(5), () -> {
            if (tries.getAndIncrement() > 0) {
                return hasEnded.get();
            }
            cameBefore.set(!hasEnded.get());
            tried.countDown();
            return false;
        }));
        impatient.run(1, key(5), () -> {
            if (own.getAndIncrement() < UpdateTurns.TRIES) {
                return false;
            }
            other.start();
            try {
                tried.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            hasEnded.set(true);
            return true;
        });
        other.join();
        assertTrue(cameBefore.get(), "it tried without a turn first");
        assertTrue(tries.get() > 1, "it tried again");
    }

    @Test
    void tables_do_not_wait_for_each_other() {
        runInTurn(5, () -> {
            AtomicInteger done = new AtomicInteger();
            turns.run(2, key(5), () -> done.incrementAndGet() > 0);
            assertEquals(1, done.get());
        });
    }
}
