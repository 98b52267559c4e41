package io.kvstore.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One run at a time, none lost, and none after the end. */
@Tag("races")
final class BackgroundTaskTest {

    private final StepBackground threads = new StepBackground(new StepClock());
    private final List<Runnable> atRuns = new ArrayList<>();
    private final BackgroundTask task = new BackgroundTask(threads, threads.waiter(), this::run);
    private int runs;

    private void run() {
        runs++;
        if (!atRuns.isEmpty()) {
            atRuns.removeFirst().run();
        }
    }

    @Test
    void many_requests_are_one_run() {
        assertFalse(task.isRequested());
        assertTrue(task.request());
        assertTrue(task.request());
        assertTrue(task.requestAgain());
        assertTrue(task.isRequested());
        threads.runAll();
        assertEquals(1, runs);
        assertFalse(task.isRequested());
        task.request();
        threads.runAll();
        assertEquals(2, runs);
    }

    @Test
    void a_request_during_a_run_is_another_run_if_it_asks_for_that() {
        atRuns.add(task::request);
        task.request();
        threads.runAll();
        assertEquals(1, runs, "the work looks itself whether there is more");
        atRuns.add(() -> {
            assertTrue(task.requestAgain());
            assertTrue(task.requestAgain());
            assertTrue(task.request());
        });
        task.request();
        threads.runNext();
        assertEquals(2, runs);
        assertEquals(1, threads.queued(), "others have their turn before it");
        threads.runAll();
        assertEquals(3, runs);
    }

    @Test
    void a_run_that_fails_ends_and_one_without_a_thread_is_asked_for_again() {
        atRuns.add(() -> {
            throw new IllegalStateException("on purpose");
        });
        task.request();
        threads.runAll();
        assertEquals(1, threads.failures().size());
        assertFalse(task.isRequested());
        threads.refuseNext();
        assertFalse(task.request());
        assertFalse(task.isRequested());
        atRuns.add(() -> {
            task.requestAgain();
            threads.refuseNext();
        });
        assertTrue(task.request());
        threads.runAll();
        assertFalse(task.isRequested(), "there was no thread for the second run");
        assertEquals(2, runs);
    }

    @Test
    void none_begins_when_it_is_closed_and_closing_does_not_wait_for_what_is_queued() {
        task.request();
        task.close();
        assertTrue(task.isClosed());
        threads.runAll();
        assertEquals(0, runs);
        assertTrue(task.request() && task.requestAgain());
        assertEquals(0, threads.queued());
    }

    @Test
    void closing_waits_for_the_run_under_way() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        atRuns.add(() -> {
            begun.countDown();
            try {
                assertTrue(mayEnd.await(60, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        task.request();
        Thread runner = Thread.ofPlatform().start(threads::runAll);
        assertTrue(begun.await(60, TimeUnit.SECONDS));
        Thread closer = Thread.ofPlatform().start(task::close);
        while (!task.isClosed()) {
            Thread.onSpinWait();
        }
        assertTrue(closer.isAlive());
        mayEnd.countDown();
        runner.join(60_000);
        closer.join(60_000);
        assertFalse(closer.isAlive());
        assertEquals(1, runs);
    }
}
