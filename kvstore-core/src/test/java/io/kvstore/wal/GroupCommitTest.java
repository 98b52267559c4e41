package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.InterruptedThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sharing of syncs: nobody is forgotten, whatever the timing, interrupts and failures. */
@Tag("races")
final class GroupCommitTest {

    private static final long JOIN_MILLIS = 60_000;

    /** A device whose sync takes a while and covers what was appended before it. */
    private static class Device implements GroupCommit.Group {
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

        @Override
        public void fail(Throwable cause) {
            failed = true;
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

    /**
     * All are served at once; of those who write again the first one waits for half of the others. Its sync covers them all, or
     * else the last ones would wait for those that write no more, and a look takes an hour here.
     */
    @Test
    void who_was_served_and_comes_back_is_waited_for() throws InterruptedException {
        int writers = 32;
        Thread[] threads = new Thread[writers];
        AtomicLong gathered = new AtomicLong();
        Device device = new Device() {
            @Override
            public void land(boolean sync) {
                while (syncs.get() == 0 && parked(threads) < writers - 1) {
                    LockSupport.parkNanos(50_000);
                }
                gathered.set(appended.get());
                while (syncs.get() == 1 && appended.get() < 2L * writers) {
                    LockSupport.parkNanos(50_000);
                }
                super.land(sync);
            }
        };
        GroupCommit groups = new GroupCommit(device, TimeUnit.HOURS.toNanos(1));
        CountDownLatch allServed = new CountDownLatch(writers);
        runAll(writers, false, number -> {
            threads[number] = Thread.currentThread();
            assertTrue(groups.await(device.appended.incrementAndGet(), true));
            allServed.countDown();
            awaitQuietly(allServed);
            assertTrue(groups.await(device.appended.incrementAndGet(), true));
        });
        int atLeast = writers + (writers - 1) / 2;
        assertEquals(2, device.syncs.get());
        assertTrue(gathered.get() > atLeast, gathered + " were there when the second sync began");
    }

    private static long parked(Thread[] threads) {
        return Stream.of(threads)
                .filter(thread -> thread != null && thread.getState() == Thread.State.WAITING)
                .count();
    }

    @Test
    void who_does_not_come_back_is_not_waited_for() throws InterruptedException {
        Device device = new Device();
        GroupCommit groups = new GroupCommit(device);
        runAll(32, false, number -> assertTrue(groups.await(device.appended.incrementAndGet(), true)));
        long before = device.syncs.get();
        runAll(1, false, number -> assertTrue(groups.await(device.appended.incrementAndGet(), true)));
        assertEquals(before + 1, device.syncs.get());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(JOIN_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
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

    /** The log is sealed and closed by a thread that may be interrupted, while another one leads. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_interrupted_thread_makes_pauses_until_it_leads(boolean isForEver) throws InterruptedException {
        CountDownLatch leads = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Device device = new Device() {
            @Override
            public void land(boolean sync) {
                leads.countDown();
                awaitUnlessInterrupted(end);
                super.land(sync);
            }
        };
        GroupCommit groups = new GroupCommit(device);
        Thread leader = new Thread(groups::leadNext);
        leader.start();
        assertTrue(leads.await(JOIN_MILLIS, TimeUnit.MILLISECONDS));
        InterruptedThread next = InterruptedThread.start(() -> {
            if (isForEver) {
                assertTrue(groups.leadForEver());
            } else {
                groups.leadNext();
            }
        });
        try {
            assertTrue(next.hasPaused(3), "it looks all the time");
            assertTrue(next.isAlive(), "two threads lead");
        } finally {
            end.countDown();
        }
        leader.join(JOIN_MILLIS);
        next.end();
        assertEquals(isForEver ? 1 : 2, device.syncs.get());
        assertEquals(!isForEver, groups.tryLead());
    }

    /** Such as a sync in the background that begins while the log is closed. */
    @Test
    void nobody_waits_behind_the_last_leader() throws InterruptedException {
        for (int round = 0; round < 100; round++) {
            Device device = new Device() {
                @Override
                public boolean reached(long lsn, boolean sync) {
                    boolean isReached = super.reached(lsn, sync);
                    if (!isReached) {
                        LockSupport.parkNanos(200_000); // meanwhile others may lead for the last time
                    }
                    return isReached;
                }
            };
            device.appended.set(1);
            GroupCommit groups = new GroupCommit(device);
            runAll(4, false, number -> {
                if (number == 0) {
                    groups.leadNext();
                    assertTrue(groups.leadForEver());
                } else {
                    assertTrue(groups.await(1, true));
                }
            });
            runAll(1, false, _ -> assertFalse(groups.await(2, true)));
        }
    }

    private static void awaitUnlessInterrupted(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("a leader's flag is cleared", e);
        }
    }

    /** The leader's work throws, or what it asks of each that waits, at any moment; nobody is left behind. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 40, 90, 200, 1_000})
    void an_error_strands_nobody(int at) throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        Device device = new Device() {
            @Override
            public void land(boolean sync) {
                super.land(sync);
                throwAt();
            }

            @Override
            public boolean reached(long lsn, boolean sync) {
                throwAt();
                return super.reached(lsn, sync);
            }

            private void throwAt() {
                if (calls.incrementAndGet() == at) {
                    throw new StackOverflowError("injected");
                }
            }
        };
        GroupCommit groups = new GroupCommit(device);
        runAll(32, false, number -> {
            for (int i = 0; i < 50; i++) {
                try {
                    long lsn = device.appended.incrementAndGet();
                    assertTrue(groups.await(lsn, true) || device.failed);
                } catch (StackOverflowError e) {
                    return; // told
                }
            }
        });
        assertTrue(calls.get() >= at, "nothing was thrown");
    }
}
