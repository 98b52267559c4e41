package io.kvstore.server.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Jobs that do not come so far as to run. */
final class JobsTest {

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
