package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class TurnTest {

    private final Turn turn = new Turn(new StepBackground(new StepClock()).waiter());

    @Test
    void the_one_who_has_it_learns_of_those_who_asked_in_vain() {
        assertTrue(turn.tryTake());
        assertTrue(turn.isTaken());
        assertFalse(turn.giveBack(), "nobody asked");
        assertTrue(turn.tryTake());
        assertFalse(turn.tryTake());
        assertTrue(turn.giveBack());
        assertTrue(turn.tryTake(), "this one looks for all work");
        assertFalse(turn.giveBack());
    }

    @Test
    void who_waits_for_it_does_not_serve_others() {
        assertTrue(turn.tryTake());
        assertFalse(turn.await(() -> false, 1), "it is taken");
        assertFalse(turn.tryTake());
        assertTrue(turn.giveBack());
        assertTrue(turn.await(() -> false, 1));
        assertTrue(turn.giveBack(), "those who asked in vain are still to be served");
    }

    @Test
    void nobody_takes_it_for_a_job_that_is_done() {
        assertFalse(turn.await(() -> true, 1));
        assertFalse(turn.isTaken());
        int[] looks = new int[1];
        assertTrue(turn.tryTake());
        assertFalse(turn.await(() -> ++looks[0] > 1, 1), "it was done while the other one had it");
        assertTrue(turn.isTaken());
    }

    /** Each of two threads makes work and asks for the turn; all of it is done when both have come to their end. */
    @Test
    void no_work_is_left() throws Exception {
        AtomicInteger made = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        Runnable worker = () -> {
            for (int i = 0; i < 100_000; i++) {
                made.incrementAndGet();
                boolean again = true;
                while (again && turn.tryTake()) {
                    done.set(made.get());
                    again = turn.giveBack();
                }
            }
        };
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 20; round++) {
                Future<?> one = threads.submit(worker);
                Future<?> other = threads.submit(worker);
                one.get();
                other.get();
                assertEquals(made.get(), done.get(), "work was left");
            }
        }
    }
}
