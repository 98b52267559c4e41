package io.kvstore.durability.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Workers;
import io.kvstore.engine.Background;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
}
