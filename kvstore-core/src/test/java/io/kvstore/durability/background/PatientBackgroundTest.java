package io.kvstore.durability.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tasks for which no thread can be had. */
final class PatientBackgroundTest {

    private final StepBackground threads = new StepBackground(new StepClock());
    private final PatientBackground background = new PatientBackground(threads);
    private final List<Integer> ran = new ArrayList<>();

    @Test
    void a_task_that_is_refused_runs_when_something_repeated_does() {
        background.every(10, () -> ran.add(0));
        threads.refuseNext();
        background.execute(() -> ran.add(1));
        assertEquals(0, threads.queued());
        threads.tick(10);
        threads.runAll();
        assertEquals(List.of(0, 1), ran);
    }

    @Test
    void it_keeps_its_place_before_those_that_come_later() {
        threads.refuseNext();
        background.execute(() -> ran.add(1));
        background.execute(() -> ran.add(2));
        threads.runAll();
        assertEquals(List.of(1, 2), ran);
    }

    @Test
    void whoever_implements_none_of_that_refuses_without_throwing() {
        AtomicBoolean scheduled = new AtomicBoolean();
        threads.refuseNext();
        assertFalse(threads.executeOnce(scheduled, () -> ran.add(1)));
        assertFalse(scheduled.get(), "who asks next is to be heard");
        assertTrue(threads.executeOnce(scheduled, () -> ran.add(2)));
        threads.runAll();
        assertEquals(List.of(2), ran);
    }
}
