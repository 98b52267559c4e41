package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Change;
import io.kvstore.data.Merge;
import io.kvstore.data.Mutation;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.OverloadedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** However many batches make large values by merges, the values of one of them are there at a time. */
final class LargeMergesTest {

    private static final int STALL_MILLIS = 200;
    private static final int PART = Merge.MAX_RESULT_BYTES / 2;

    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    /** An admission of this many bytes or more waits in the middle of its operation. */
    private volatile long held = Long.MAX_VALUE;

    private OpenStore open() throws IOException {
        return WatchedEngine.open(STALL_MILLIS, (method, arguments) -> {
            if (method.equals("admit") && (long) arguments[0] >= held) {
                held = Long.MAX_VALUE;
                arrived.countDown();
                goOn.await();
            }
        });
    }

    /** A batch that makes as many values of half of the largest result. */
    private static Operation halves(OpenTable table, String keys, int extra) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < keys.length(); i++) {
            changes.add(new Merge.Append(new byte[] {(byte) keys.charAt(i)}, new byte[PART]));
        }
        changes.add(new Merge.Append(new byte[] {'e'}, new byte[extra]));
        return new Operation(List.of(new Operation.TableWrite.Computed(table, changes)), List.of());
    }

    @Test
    void one_operation_at_a_time_has_more_than_a_largest_result() throws Exception {
        try (OpenStore store = open();
                ExecutorService threads = Executors.newCachedThreadPool()) {
            OpenTable table = WatchedEngine.table(store);
            CommitPipeline pipeline = store.pipeline();
            held = Merge.MAX_RESULT_BYTES + 1;
            Future<Operation.Committed> first = threads.submit(() -> pipeline.commit(halves(table, "ab", 1), null));
            arrived.await();
            try {
                OverloadedException refused =
                        assertThrows(OverloadedException.class, () -> pipeline.commit(halves(table, "cd", 1), null));
                assertTrue(String.valueOf(refused.getMessage()).contains("split the batch"), refused.getMessage());
                assertTrue(pipeline.commit(halves(table, "cd", 0), null).isApplied(), "exactly a largest result");
                assertTrue(pipeline.commit(halves(table, "f", 1), null).isApplied(), "less");
                Mutation put = new Mutation.Put(new byte[] {'g'}, new byte[PART]);
                pipeline.commit(table, put, null); // no merge
            } finally {
                goOn.countDown();
            }
            assertTrue(first.get().isApplied());
            assertTrue(pipeline.commit(halves(table, "hi", 1), null).isApplied(), "the turn has ended");
        }
    }

    @Test
    void a_turn_ends_with_its_operation_however_that_ends() throws Exception {
        try (OpenStore store = open();
                ExecutorService threads = Executors.newCachedThreadPool()) {
            OpenTable table = WatchedEngine.table(store);
            CommitPipeline pipeline = store.pipeline();
            List<Change> changes = new ArrayList<>();
            for (byte key = 'a'; key <= 'c'; key++) {
                changes.add(new Merge.Append(new byte[] {key}, new byte[PART]));
            }
            changes.add(new Merge.Patch(new byte[] {'d'}, 1, new byte[1])); // behind the end
            Operation refused = new Operation(List.of(new Operation.TableWrite.Computed(table, changes)), List.of());
            for (int i = 0; i < 3; i++) {
                assertThrows(InvalidRequestException.class, () -> pipeline.commit(refused, null));
                Future<Boolean> other = threads.submit(
                        () -> pipeline.commit(halves(table, "abc", 1), null).isApplied());
                assertEquals(i < 2, isApplied(other), "a third half is more than a largest result");
            }
        }
    }

    private static boolean isApplied(Future<Boolean> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException e) {
            assertTrue(e.getCause() instanceof InvalidRequestException, String.valueOf(e.getCause()));
            return false;
        }
    }
}
