package io.kvstore.durability.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Workers;
import io.kvstore.engine.Background;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each class of work has threads that no other can take. */
@Tag("races")
final class ThreadedBackgroundTest {

    private static void fill(Workers workers, int tasks, CountDownLatch end) {
        for (int i = 0; i < tasks; i++) {
            assertTrue(workers.offer(() -> {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("nobody interrupts it", e);
                }
            }));
        }
    }

    private static void assertRuns(Workers workers) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        assertTrue(workers.offer(ran::countDown));
        assertTrue(ran.await(60, TimeUnit.SECONDS), "a task waits for those of another class");
    }

    @Test
    void no_class_of_work_waits_for_another() throws Exception {
        for (int free = 0; free < 3; free++) {
            CountDownLatch end = new CountDownLatch(1);
            Background background = new PatientBackground(new ThreadedBackground());
            try {
                List<Workers> classes = List.of(background, background.awaitedWork(), background.longWork());
                for (Workers other : classes) {
                    if (!other.equals(classes.get(free))) {
                        fill(other, 40, end);
                    }
                }
                assertRuns(classes.get(free));
                Background.Load load = background.load();
                List<Integer> waiting = List.of(load.urgentWaiting(), load.awaitedWaiting(), load.longWaiting());
                List<Integer> threads = List.of(load.urgentThreads(), load.awaitedThreads(), load.longThreads());
                for (int i = 0; i < 3; i++) {
                    assertEquals(i == free ? 0 : 40 - threads.get(i), waiting.get(i));
                }
            } finally {
                end.countDown();
                background.close();
            }
            assertTrue(background.hasEnded());
        }
    }

    @Test
    void reads_that_wait_for_the_disk_keep_no_other_work_waiting() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Background background = new PatientBackground(new ThreadedBackground());
        try {
            fill(background.reads(), 40, end);
            for (Workers other : List.of(background, background.awaitedWork(), background.longWork())) {
                assertRuns(other);
            }
        } finally {
            end.countDown();
            background.close();
        }
        assertTrue(background.hasEnded());
    }

    /** A repeated task lets go of files that nobody needs any more. The next owner of the directory must not meet that. */
    @Test
    void closing_waits_for_a_repeated_task() throws Exception {
        Background background = new ThreadedBackground();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        AtomicBoolean endedBefore = new AtomicBoolean();
        Thread closing = new Thread(() -> {
            background.close();
            endedBefore.set(ended.get());
        });
        background.every(1, () -> {
            if (begun.getCount() > 0) {
                begun.countDown();
                awaitWaitingOrEnd(closing);
                ended.set(true);
            }
        });
        assertTrue(begun.await(60, TimeUnit.SECONDS), "the task does not run");
        closing.start();
        closing.join(60_000);
        assertFalse(closing.isAlive());
        assertTrue(endedBefore.get(), "the task goes on behind the end");
        assertTrue(background.hasEnded());
    }

    /** The store lets go of its directory when the threads have ended. */
    @Test
    void an_interrupt_does_not_end_the_wait_for_the_end() throws Exception {
        Background background = new ThreadedBackground();
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        AtomicBoolean endedBefore = new AtomicBoolean();
        assertTrue(background.offer(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts it", e);
            }
            ended.set(true);
        }));
        AtomicBoolean isKept = new AtomicBoolean();
        Thread closing = new Thread(() -> {
            background.close();
            endedBefore.set(ended.get());
            isKept.set(Thread.currentThread().isInterrupted());
        });
        closing.start();
        try {
            awaitWaitingOrEnd(closing);
            closing.interrupt();
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (closing.isInterrupted() && closing.isAlive() && System.nanoTime() < limit) {
                Thread.onSpinWait();
            }
            awaitWaitingOrEnd(closing);
        } finally {
            end.countDown();
        }
        closing.join(60_000);
        assertFalse(closing.isAlive());
        assertTrue(endedBefore.get(), "the task goes on behind the end");
        assertTrue(isKept.get(), "the flag is lost");
        assertTrue(background.hasEnded());
    }

    private static void awaitWaitingOrEnd(Thread thread) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (System.nanoTime() < end
                && !Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED)
                        .contains(thread.getState())) {
            Thread.onSpinWait();
        }
    }
}
