package io.kvstore.server.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The places of jobs: of those that get no thread, and of those that have ended. */
final class JobsTest {

    /** A client that waits for the end of one may begin the next at once. */
    @Test
    void a_job_has_given_its_place_back_when_its_end_is_told() {
        Lifecycle lifecycle = new Lifecycle(1);
        try (KVStore store = KVStore.inMemory()) {
            Jobs jobs = new Jobs(store, new Tables(store), lifecycle, new BackupDirectory(store, null));
            for (int i = 0; i < 1_000; i++) {
                long id = jobs.start(JobRequest.of(JobKind.CHECKPOINT)).id();
                while (jobs.get(id).isRunning()) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Test
    void a_job_that_gets_no_thread_takes_no_place() throws InterruptedException {
        try (KVStore store = KVStore.inMemory()) {
            boolean[] full = {true};
            Jobs jobs = new Jobs(store, new Tables(store), new Lifecycle(1), new BackupDirectory(store, null), work -> {
                if (full[0]) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                return new Thread(work);
            });
            for (int i = 0; i < 20; i++) {
                assertThrows(OutOfMemoryError.class, () -> jobs.start(JobRequest.of(JobKind.CHECKPOINT)));
            }
            assertEquals(List.of(), jobs.all());
            full[0] = false;
            long id = jobs.start(JobRequest.of(JobKind.CHECKPOINT)).id();
            assertTrue(jobs.awaitEnd(System.nanoTime() + TimeUnit.MINUTES.toNanos(1)));
            assertEquals(JobReport.State.DONE, jobs.get(id).state());
        }
    }
}
