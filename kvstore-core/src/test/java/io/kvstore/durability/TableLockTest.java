package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The write lock: one at a time, interrupts kept, nobody waits for ever behind a thread that never stops. */
final class TableLockTest {

    private static final long JOIN_MILLIS = 60_000;

    private final TableLock lock = new TableLock();
    private int guarded;

    @Test
    void one_thread_at_a_time_and_interrupts_are_kept() throws InterruptedException {
        AtomicInteger kept = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int round = 0; round < 2_000; round++) {
                    Thread.currentThread().interrupt();
                    lock.lock();
                    guarded++;
                    lock.unlock();
                    kept.addAndGet(Thread.interrupted() ? 1 : 0);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join(JOIN_MILLIS);
            assertFalse(thread.isAlive());
        }
        assertEquals(64_000, guarded);
        assertEquals(64_000, kept.get());
    }

    /** A thread that takes the lock again at once would keep every other thread out of a plain barging lock. */
    @Test
    void a_waiting_thread_gets_its_turn() throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch busy = new CountDownLatch(2);
        List<Thread> greedy = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            greedy.add(Thread.ofPlatform().start(() -> {
                busy.countDown();
                while (!stop.get()) {
                    lock.lock();
                    guarded++;
                    lock.unlock();
                }
            }));
        }
        busy.await();
        AtomicInteger turns = new AtomicInteger();
        Thread patient = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 20; i++) {
                lock.lock();
                turns.incrementAndGet();
                lock.unlock();
            }
        });
        patient.join(JOIN_MILLIS);
        stop.set(true);
        for (Thread thread : greedy) {
            thread.join(JOIN_MILLIS);
        }
        assertTrue(turns.get() == 20, turns.get() + " turns of 20");
    }
}
