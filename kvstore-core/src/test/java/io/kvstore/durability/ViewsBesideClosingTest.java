package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What looks at a table, and ends while the store is being closed. */
final class ViewsBesideClosingTest {

    private static final long JOIN_MILLIS = 60_000;
    private static final int STALL_MILLIS = 1_000;

    private static OpenTable filled(OpenStore store) {
        OpenTable table = WatchedEngine.table(store);
        for (byte key = 0; key < 3; key++) {
            store.pipeline().commit(table, new Mutation.Put(new byte[] {key}, new byte[9]), null);
        }
        return table;
    }

    private static FutureTask<Boolean> inThread(Callable<Boolean> task) {
        FutureTask<Boolean> running = new FutureTask<>(task);
        Thread.ofPlatform().daemon().start(running);
        return running;
    }

    private static FutureTask<Boolean> closing(OpenStore store) {
        return inThread(() -> {
            store.close();
            return true;
        });
    }

    private static void join(FutureTask<Boolean> running) throws Exception {
        assertTrue(running.get(JOIN_MILLIS, TimeUnit.MILLISECONDS));
    }

    /** Closing waits for calls, and a call ends whatever its last step throws. */
    @Test
    void a_cursor_that_cannot_rest_leaves_no_call_behind() throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        OpenStore store = WatchedEngine.open(STALL_MILLIS, (method, _) -> {
            if (method.equals("EngineCursor.rest") && fails.get()) {
                throw new OutOfMemoryError("for the test");
            }
        });
        OpenTable table = filled(store);
        try (PinnedView view = store.reads().view(table);
                TableCursor cursor = view.scan(table, KeyRange.all(), false)) {
            assertTrue(cursor.next());
            fails.set(true);
            assertThrows(OutOfMemoryError.class, cursor::value);
            assertThrows(OutOfMemoryError.class, cursor::next);
            assertThrows(OutOfMemoryError.class, () -> cursor.visit((key, value) -> true));
            fails.set(false);
        }
        join(closing(store));
    }
}
