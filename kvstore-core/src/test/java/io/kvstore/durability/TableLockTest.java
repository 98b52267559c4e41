package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The write lock: one at a time, interrupts kept, nobody waits for ever, behind a thread that never stops or one that did. */
@Tag("races")
final class TableLockTest {

    private static final long JOIN_MILLIS = 60_000;

    private final TableLock lock = new TableLock(TableLock.TURN);
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private int guarded;

    private Thread start(Runnable work) {
        return Thread.ofPlatform()
                .uncaughtExceptionHandler((thread, failure) -> failures.add(failure))
                .start(work);
    }

    @AfterEach
    void no_thread_failed() {
        assertEquals(List.of(), List.copyOf(failures));
    }

    /** Threads that want the lock once. */
    private List<Thread> startWaiting(int count) {
        return startWaiting(count, lock::unlock);
    }

    private List<Thread> startWaiting(int count, Runnable unlock) {
        List<Thread> waiting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            waiting.add(start(() -> {
                lock.lock();
                guarded++;
                unlock.run();
            }));
        }
        return waiting;
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(JOIN_MILLIS);
            assertFalse(thread.isAlive());
        }
    }

    @Test
    void one_thread_at_a_time_and_interrupts_are_kept() throws InterruptedException {
        AtomicInteger kept = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            threads.add(start(() -> {
                for (int round = 0; round < 2_000; round++) {
                    Thread.currentThread().interrupt();
                    lock.lock();
                    guarded++;
                    lock.unlock();
                    kept.addAndGet(Thread.interrupted() ? 1 : 0);
                }
            }));
        }
        join(threads);
        assertEquals(64_000, guarded);
        assertEquals(64_000, kept.get());
    }

    /**
     * A thread that takes the lock again at once would keep every other thread out of a plain barging lock; where many are
     * parked, who looks for the lock even leaves it to that thread.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 16})
    void a_waiting_thread_gets_its_turn(int others) throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch busy = new CountDownLatch(others);
        List<Thread> greedy = new ArrayList<>();
        for (int i = 0; i < others; i++) {
            greedy.add(start(() -> {
                busy.countDown();
                while (!stop.get()) {
                    lock.lock();
                    guarded++;
                    lock.unlockForNow();
                }
            }));
        }
        busy.await();
        AtomicInteger turns = new AtomicInteger();
        Thread patient = start(() -> {
            for (int i = 0; i < 20; i++) {
                lock.lock();
                turns.incrementAndGet();
                lock.unlock();
            }
        });
        patient.join(JOIN_MILLIS);
        stop.set(true);
        join(greedy);
        assertEquals(20, turns.get());
    }

    /** Who took it many times in a row wakes nobody, as it is expected back; those that are parked go on when it is not. */
    @Test
    void nobody_is_forgotten_by_a_thread_that_does_not_come_back() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            takeTurns(10);
            lock.lock();
            List<Thread> waiting = startWaiting(8);
            awaitState(waiting.getLast(), Thread.State.TIMED_WAITING, Thread.State.WAITING);
            lock.unlockForNow();
            join(waiting);
        }
        assertEquals(160, guarded);
    }

    private void takeTurns(int count) {
        for (int i = 0; i < count; i++) {
            lock.lock();
            lock.unlockForNow();
        }
    }

    private static void awaitState(Thread thread, Thread.State... states) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
        while (!List.of(states).contains(thread.getState())) {
            assertTrue(System.nanoTime() < end, "does not wait");
            Thread.onSpinWait();
        }
    }

    /** What a thread that looks for the lock is told, where it leaves it to an owner that goes on. */
    @Test
    void it_is_known_whether_the_owner_goes_on() {
        assertEquals(TableLock.LEFT, lock.freeSince());
        lock.lock();
        assertEquals(TableLock.TAKEN, lock.freeSince());
        lock.lock();
        lock.unlockForNow();
        assertEquals(TableLock.TAKEN, lock.freeSince());
        lock.unlockForNow();
        long first = lock.freeSince();
        assertEquals(first, lock.freeSince());
        takeTurns(1);
        assertEquals(first + 1, lock.freeSince());
        lock.lock();
        lock.unlock();
        assertEquals(TableLock.LEFT, lock.freeSince());
        takeTurns(TableLock.STREAK - 4);
        assertNotEquals(TableLock.LEFT, lock.freeSince());
        takeTurns(1);
        assertEquals(TableLock.LEFT, lock.freeSince(), "a row ends");
        takeTurns(1);
        assertNotEquals(TableLock.LEFT, lock.freeSince());
    }

    @Test
    void who_closed_the_gate_is_woken_by_an_owner_that_is_expected_back() throws InterruptedException {
        takeTurns(10);
        lock.lock();
        List<Thread> waiting = startWaiting(4);
        waiting.forEach(
                thread -> awaitState(thread, Thread.State.WAITING)); // one has closed it, the others are at the gate
        lock.lock(); // the owner need not stand there
        lock.unlockForNow();
        assertEquals(0, guarded);
        lock.unlockForNow();
        join(waiting);
        assertEquals(4, guarded);
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
    }

    @Test
    void a_turn_has_an_end() throws InterruptedException {
        takeTurns(TableLock.TURN - 1);
        assertTrue(lock.mayGoOn());
        takeTurns(1);
        assertFalse(lock.mayGoOn());
        takeTurns(1);
        assertFalse(lock.mayGoOn());
        join(startWaiting(1));
        assertFalse(lock.mayGoOn(), "another one was the last");
        takeTurns(1);
        assertTrue(lock.mayGoOn(), "a new row");
    }

    /** However soon it comes back, it comes after those that stand at the gate, until few are left. */
    @Test
    void who_had_its_turns_stands_at_the_gate() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            guarded = 0;
            takeTurns(TableLock.TURN);
            lock.lock();
            List<Thread> waiting = startWaiting(24, lock::unlockForNow);
            waiting.forEach(thread -> awaitState(thread, Thread.State.WAITING));
            lock.unlockForNow();
            lock.lock();
            assertTrue(guarded >= 24 - TableLock.MANY_WAITING, guarded + " of 24 were before");
            lock.unlock();
            join(waiting);
        }
    }
}
