package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Background;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Time and tasks in the test's own hands. */
final class StepBackgroundTest {

    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final List<String> ran = new ArrayList<>();

    @Test
    void tasks_run_when_asked_in_order_with_those_they_add() {
        background.execute(() -> {
            ran.add("a");
            background.execute(() -> ran.add("c"));
        });
        background.execute(() -> ran.add("b"));
        assertEquals(List.of(), ran);
        assertEquals(2, background.queued());
        background.runAll();
        assertEquals(List.of("a", "b", "c"), ran);
    }

    @Test
    void wait_runs_tasks_until_the_condition_holds_and_no_more() {
        background.execute(() -> ran.add("a"));
        background.execute(() -> ran.add("b"));
        assertTrue(background.waiter().await(() -> ran.contains("a"), 0));
        assertEquals(List.of("a"), ran);
        assertFalse(background.waiter().await(() -> ran.contains("x"), 100));
        assertEquals(List.of("a", "b"), ran);
    }

    @Test
    void wait_lets_time_pass_until_the_timeout_and_repeated_tasks_run_when_due() {
        long start = clock.nanoTime();
        Background.Ticket ticket = background.every(10, () -> ran.add("tick"));
        assertFalse(background.waiter().await(() -> false, 35));
        assertEquals(List.of("tick", "tick", "tick"), ran);
        assertEquals(TimeUnit.MILLISECONDS.toNanos(35), clock.nanoTime() - start);
        assertTrue(background.waiter().await(() -> ran.size() == 4, 1000));
        assertEquals(TimeUnit.MILLISECONDS.toNanos(40), clock.nanoTime() - start);
        ticket.close();
        background.tick(100);
        assertEquals(4, ran.size());
    }

    @Test
    void task_that_waits_for_what_is_only_queued_fails_at_once() {
        StepBackground alone = new StepBackground(clock); // made by this thread, so no other one is given time
        alone.execute(() -> alone.waiter().await(() -> ran.contains("b"), 100));
        alone.execute(() -> ran.add("b"));
        assertThrows(AssertionError.class, alone::runAll);
        assertEquals(List.of(), ran);
    }

    @Test
    void task_may_wait_for_what_is_there() {
        background.execute(() -> ran.add("a"));
        background.execute(() -> assertTrue(background.waiter().await(() -> ran.contains("a"), 100)));
        background.runAll();
        assertEquals(List.of(), background.failures());
    }

    @Test
    void failing_task_is_kept_and_the_others_run() {
        background.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        background.execute(() -> ran.add("b"));
        background.runAll();
        assertEquals(List.of("b"), ran);
        assertEquals(1, background.failures().size());
        background.execute(() -> ran.add("c"));
        background.close();
        background.runAll();
        assertEquals(List.of("b"), ran);
    }
}
