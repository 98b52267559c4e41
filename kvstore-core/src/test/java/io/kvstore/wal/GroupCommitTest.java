package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sharing of syncs: nobody is forgotten, whatever the timing, interrupts and failures. */
final class GroupCommitTest {

    private static final long JOIN_MILLIS = 60_000;

    /** A device whose sync takes a while and covers what was appended before it. */
    private static final class Device implements GroupCommit.Group {
        final AtomicLong appended = new AtomicLong();
        final AtomicLong leaders = new AtomicLong();
        final AtomicLong syncs = new AtomicLong();
        volatile long durable;
        volatile boolean failed;
        volatile long failAfterSyncs = Long.MAX_VALUE;

        @Override
        public void land(boolean sync) {
            assertEquals(1, leaders.incrementAndGet(), "one leader at a time");
            long covered = appended.get();
            LockSupport.parkNanos(50_000);
            if (syncs.incrementAndGet() > failAfterSyncs) {
                failed = true;
            } else {
                durable = covered;
            }
            leaders.decrementAndGet();
        }

        @Override
        public boolean reached(long lsn, boolean sync) {
            return lsn <= durable;
        }

        @Override
        public boolean failed() {
            return failed;
        }
    }

    private static void runAll(int threads, boolean virtual, Consumer<Integer> body) throws InterruptedException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
            all.add(builder.uncaughtExceptionHandler((thread, e) -> failure.compareAndSet(null, e))
                    .start(() -> body.accept(number)));
        }
        for (Thread thread : all) {
            thread.join(JOIN_MILLIS);
            assertFalse(thread.isAlive(), "a waiting thread was forgotten");
        }
        assertNull(failure.get());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void every_writer_returns_durable_and_syncs_are_shared(boolean virtual) throws InterruptedException {
        Device device = new Device();
        GroupCommit groups = new GroupCommit(device);
        runAll(64, virtual, number -> {
            for (int i = 0; i < 100; i++) {
                long lsn = device.appended.incrementAndGet();
                assertTrue(groups.await(lsn, true));
                assertTrue(device.durable >= lsn);
            }
        });
        assertTrue(device.syncs.get() < 6_400 / 4, device.syncs + " syncs for 6400 writes of 64 threads");
    }

    /** One half is woken early all the time; what it does then must not cost the other half its only wake-up. */
    @Test
    void who_wakes_early_wakes_nobody_too_early() throws InterruptedException {
        Device device = new Device();
        GroupCommit groups = new GroupCommit(device);
        Thread[] writers = new Thread[64];
        AtomicInteger running = new AtomicInteger(writers.length);
        Thread waker = Thread.startVirtualThread(() -> {
            while (running.get() > 0) {
                for (int i = 0; i < writers.length / 2; i++) {
                    LockSupport.unpark(writers[i]);
                }
            }
        });
        runAll(writers.length, false, number -> {
            writers[number] = Thread.currentThread();
            for (int i = 0; i < 300; i++) {
                assertTrue(groups.await(device.appended.incrementAndGet(), true));
            }
            running.decrementAndGet();
        });
        waker.join();
    }

    @Test
    void interrupts_end_no_wait_and_are_kept() throws InterruptedException {
        Device device = new Device();
        GroupCommit groups = new GroupCommit(device);
        AtomicInteger kept = new AtomicInteger();
        runAll(16, false, number -> {
            for (int i = 0; i < 50; i++) {
                Thread.currentThread().interrupt();
                long lsn = device.appended.incrementAndGet();
                assertTrue(groups.await(lsn, true));
                if (Thread.interrupted()) {
                    kept.incrementAndGet();
                }
            }
        });
        assertEquals(16 * 50, kept.get());
    }

    @Test
    void after_a_failure_every_waiting_writer_is_told() throws InterruptedException {
        Device device = new Device();
        device.failAfterSyncs = 10;
        GroupCommit groups = new GroupCommit(device);
        AtomicInteger told = new AtomicInteger();
        CountDownLatch start = new CountDownLatch(1);
        runAll(32, false, number -> {
            start.countDown();
            boolean reached = true;
            while (reached) {
                long lsn = device.appended.incrementAndGet();
                reached = groups.await(lsn, true);
                assertTrue(!reached || device.durable >= lsn);
            }
            told.incrementAndGet();
        });
        assertEquals(32, told.get());
        assertEquals(11, device.syncs.get(), "nothing is tried after the failure");
    }
}
