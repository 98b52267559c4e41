package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Stops the first call of a name, and knows whether the engine was closed before that went on. */
    private static final class Stopped implements WatchedEngine.Watcher {

        /** Far longer than closing a store takes that does not wait. */
        private static final long GRACE_MILLIS = 300;

        private final String name;
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final CountDownLatch engineClosed = new CountDownLatch(1);

        Stopped(String name) {
            this.name = name;
        }

        @Override
        public void before(String method, Object[] arguments) throws InterruptedException {
            if (method.equals("close")) {
                engineClosed.countDown();
            }
            if (method.equals(name)) {
                arrived.countDown();
                goOn.await();
            }
        }

        /** Closes the store, in another thread, while the call is stopped, and then lets that go on. */
        void closeMeanwhile(OpenStore store) throws Exception {
            FutureTask<Boolean> closing = closing(store);
            boolean isTooEarly = engineClosed.await(GRACE_MILLIS, TimeUnit.MILLISECONDS);
            goOn.countDown();
            join(closing);
            assertFalse(isTooEarly, name + " was under way when the engine was closed");
            assertEquals(0, engineClosed.getCount());
        }
    }

    @Test
    void an_engine_is_closed_after_the_cursors_of_a_view_that_another_thread_closes() throws Exception {
        Stopped stopped = new Stopped("EngineCursor.close");
        OpenStore store = WatchedEngine.open(STALL_MILLIS, stopped);
        OpenTable table = filled(store);
        PinnedView view = store.reads().view(table);
        TableCursor cursor = view.scan(table, KeyRange.all(), false);
        assertTrue(cursor.next());
        FutureTask<Boolean> leaving = inThread(() -> {
            view.close();
            return true;
        });
        stopped.arrived.await();
        stopped.closeMeanwhile(store);
        join(leaving);
        view.close();
        cursor.close();
    }

    @Test
    void an_engine_is_closed_after_a_hold_that_another_thread_closes() throws Exception {
        Stopped stopped = new Stopped("FileHold.close");
        OpenStore store = WatchedEngine.open(STALL_MILLIS, stopped);
        OpenTable _ = filled(store);
        StoreHold hold = store.hold();
        FutureTask<Boolean> leaving = inThread(() -> {
            hold.close();
            return true;
        });
        stopped.arrived.await();
        stopped.closeMeanwhile(store);
        join(leaving);
        hold.close();
    }

    /** Who closes a view after that does nothing, and nothing is left. */
    @Test
    void closing_the_store_closes_what_is_left() throws Exception {
        AtomicInteger open = new AtomicInteger();
        OpenStore store = WatchedEngine.open(STALL_MILLIS, (method, _) -> {
            switch (method) {
                case "scan", "hold" -> open.incrementAndGet();
                case "EngineCursor.close", "FileHold.close" -> open.decrementAndGet();
                default -> {
                    // only what is opened and closed counts
                }
            }
        });
        OpenTable table = filled(store);
        PinnedView view = store.reads().view(table);
        TableCursor first = view.scan(table, KeyRange.all(), false);
        TableCursor owner = store.reads().view(table).scan(table, KeyRange.all(), true);
        StoreHold hold = store.hold();
        assertEquals(3, open.get());
        store.close();
        assertEquals(0, open.get());
        first.close();
        view.close();
        owner.close();
        hold.close();
        assertEquals(0, open.get());
        assertEquals(0, store.openSnapshots());
        assertEquals(0, store.holds().count());
    }
}
