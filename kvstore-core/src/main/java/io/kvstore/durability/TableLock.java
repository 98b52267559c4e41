package io.kvstore.durability;

import java.io.Serial;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The write lock of a table. A running thread takes it again without parking, so that 200 threads on two cores run like
 * two; a thread that has waited for 5 ms closes the gate, and then only those that were waiting before compete with it.
 * Where many wait for owners that go on at once, those that come stand at the gate, each in its turn, and who has had the lock
 * a number of times in a row stands there again: so 200 threads that write all the time wait for 200 such rows at most, and not
 * for ever longer ones.
 *
 * <p>The first thread that finds it taken looks again for 10 us before it parks: an operation holds the lock for one or two,
 * and to park and be woken takes longer than ten, in which a processor idles. One thread at a time does so, so that of many
 * that wait no more than one is at work.
 *
 * <p>Where many wait, who looks leaves the lock to an owner that goes on: it takes it when it was free at two looks with no
 * turn between them, so for longer than between two operations, or when the owner said that it does not go on. All writers
 * together are as fast as the lock is then, and it is fastest in one processor's caches. Where few wait, they do other things
 * between two turns, and a processor is theirs for it sooner when the lock is taken as soon as it is free.
 *
 * <p>Who gives the lock back wakes the first that is parked, unless that would be in vain: because a thread looks for the lock,
 * or because the owner says that it goes on at once ({@link #unlockForNow}) and had the lock several times in a row, so that
 * one of the two is likely to have it before that thread runs. Each {@value #STREAK}th time of such a row does not count on the
 * owner.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Who looks for the lock tries once more after it stopped to say so. So a release that saw it looking has not left
 *       the lock free behind its back.
 *   <li>A thread parks for 5 ms at most in the lock's queue, whatever is or is not woken; but who has closed the gate parks
 *       until it is woken.
 *   <li>A release looks at the gate after the lock is free, and wakes when it is closed. So who closed it and found the lock
 *       taken, or one that stands before it in the queue and wakes it when it goes, is woken by that owner's release. Those at
 *       the gate follow it.
 *   <li>Where threads take turns and one stands at the gate, who comes stands there too; but the last owner passes it until
 *       the next one is awake and has closed it, or its row is at its end. Who stands in the lock's queue already, or looks for
 *       the lock, is not sent to the gate before its time is over.
 *   <li>Only {@code tryAcquire} gives the lock; whether an owner goes on, who was the last one, and how many wait, are guesses,
 *       which decide when it is tried.
 * </ol>
 *
 * <p>Interrupts end no wait; the flag is set again. The owner may take the lock again.
 */
final class TableLock {

    private static final long PATIENCE_NANOS = 5_000_000;
    private static final long SPIN_NANOS = 10_000;

    /** Between two looks at the lock, so that the one who has it is not disturbed. */
    private static final int PAUSES = 10;

    /** The same where many wait: some tenths of a microsecond, longer than between two operations of an owner. */
    private static final int PAUSES_OF_MANY = 30;

    static final int MANY_WAITING = 8;

    /** The lock was left by an owner that does not go on; see {@link #freeSince}. */
    static final long LEFT = -2;

    /** Somebody has the lock; see {@link #freeSince}. */
    static final long TAKEN = -1;

    static final int STREAK = 1024;

    /**
     * Turns in a row where threads take turns, 0.2 ms of puts without a log. To wake the next thread and to park takes some
     * 12 us, and another thread begins with another processor's caches; but 200 threads wait 200 times as long.
     */
    static final int TURN = 384;

    /** The same for operations that go to the log first, which take twice as long. */
    static final int LOGGED_TURN = 192;

    /** Who had the lock so many times in a row takes it again soon. */
    private static final int EXPECTED_AFTER = 3;

    private static final boolean CAN_SPIN = Runtime.getRuntime().availableProcessors() > 1;

    private final AtomicBoolean spinning = new AtomicBoolean();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Ownership lock = new Ownership();
    private final ReentrantLock gate = new ReentrantLock(true);
    private final int turn;

    /** @param turn how often in a row an owner has the lock where threads take turns */
    TableLock(int turn) {
        this.turn = turn;
    }

    void lock() {
        if (isClosed() && !lock.isMine() && passGate()) {
            return;
        }
        if (!lock.tryAcquire(1) && !spin()) {
            waiting.incrementAndGet();
            try {
                park();
            } finally {
                waiting.decrementAndGet();
            }
        }
    }

    private boolean isClosed() {
        return gate.isLocked() || (isInTurn() && gate.hasQueuedThreads() && !mayGoOn());
    }

    /** Whether this thread had the lock last, and not yet as often as it may while others stand at the gate. */
    boolean mayGoOn() {
        return lock.mayGoOn();
    }

    /**
     * Whether many wait for owners that go on at once. Where owners wait for the disk instead, those that are running should
     * not wait for one that is woken.
     */
    private boolean isInTurn() {
        return waiting.get() >= MANY_WAITING && lock.goesOn();
    }

    /**
     * Waits until those that stand at the gate have had the lock; where threads take turns, takes it too.
     *
     * @return whether it was taken
     */
    private boolean passGate() {
        waiting.incrementAndGet();
        try {
            gate.lock();
            try {
                boolean taken = isInTurn();
                if (taken) {
                    lock.acquire(1);
                }
                return taken;
            } finally {
                gate.unlock();
            }
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** Takes the lock if it becomes free soon, unless another thread is doing this. */
    private boolean spin() {
        if (!CAN_SPIN || spinning.get() || !spinning.compareAndSet(false, true)) {
            return false;
        }
        try {
            return waiting.get() < MANY_WAITING ? spinWithFew() : spinWithMany();
        } finally {
            spinning.set(false);
        }
    }

    private boolean spinWithFew() {
        long begin = System.nanoTime();
        do {
            pause(PAUSES);
            if (lock.tryAcquire(1)) {
                return true;
            }
        } while (System.nanoTime() - begin < SPIN_NANOS);
        return false;
    }

    private boolean spinWithMany() {
        long begin = System.nanoTime();
        long last = TAKEN;
        do {
            pause(PAUSES_OF_MANY);
            long now = freeSince();
            boolean isLeft = now == LEFT || (now == last && now != TAKEN);
            if (isLeft && lock.tryAcquire(1)) {
                return true;
            }
            last = now;
        } while (System.nanoTime() - begin < SPIN_NANOS);
        return false;
    }

    /** {@link #TAKEN}, {@link #LEFT}, or the number of the turn whose owner left the lock free to go on. */
    long freeSince() {
        return lock.freeSince();
    }

    private static void pause(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    private void park() {
        if (!tryForAWhile()) {
            gate.lock();
            try {
                lock.acquire(1);
            } finally {
                gate.unlock();
            }
        }
    }

    private boolean tryForAWhile() {
        boolean interrupted = false;
        try {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (true) {
                try {
                    return lock.tryAcquireNanos(1, deadline - System.nanoTime());
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Gives the lock back. */
    void unlock() {
        lock.release(Ownership.FOR_LONG);
    }

    /**
     * Gives back what the thread has of the lock, however often it took it and wherever it was torn out of {@link #lock} or
     * {@link #unlock}; nothing if it has nothing.
     */
    void unlockIfMine() {
        while (lock.isMine()) {
            lock.release(Ownership.FOR_LONG);
        }
        while (gate.isHeldByCurrentThread()) {
            gate.unlock();
        }
    }

    /** Gives the lock back, likely to take it again at once, without waiting for anything, such as the disk. */
    void unlockForNow() {
        lock.release(Ownership.FOR_NOW);
    }

    /** Who has the lock, how often it took it within itself, and the queue of those that are parked. */
    private final class Ownership extends AbstractQueuedSynchronizer {

        static final int FOR_LONG = 0;
        static final int FOR_NOW = 1;

        @Serial
        private static final long serialVersionUID = 1;

        // the owner's, and the last owner's until another one has the lock
        private long lastOwner;
        private long inARow;

        // the owner's too; others read them once they saw the lock free, as a guess
        private int turns;
        private boolean goesOn;

        @Override
        protected boolean tryAcquire(int unused) {
            Thread current = Thread.currentThread();
            int held = getState();
            if (held == 0 && compareAndSetState(0, 1)) {
                setExclusiveOwnerThread(current);
                inARow = lastOwner == current.threadId() ? inARow + 1 : 1;
                lastOwner = current.threadId();
                turns++;
                return true;
            }
            if (held > 0 && isMine()) {
                setState(held + 1);
                return true;
            }
            return false;
        }

        /** Whether the lock is free and somebody is to be woken. */
        @Override
        protected boolean tryRelease(int how) {
            if (!isMine()) {
                throw new IllegalMonitorStateException("the lock of a table is given back by who does not have it");
            }
            int left = getState() - 1;
            if (left > 0) {
                setState(left);
                return false;
            }
            goesOn = how == FOR_NOW && inARow % STREAK != 0;
            boolean isExpected = goesOn && inARow >= EXPECTED_AFTER;
            setExclusiveOwnerThread(null);
            setState(0);
            return gate.isLocked() || !(isExpected || spinning.get());
        }

        /** See {@link TableLock#mayGoOn}. */
        boolean mayGoOn() {
            return lastOwner == Thread.currentThread().threadId() && inARow < turn;
        }

        /** Whether the last owner that gave the lock back goes on; a guess. */
        boolean goesOn() {
            return goesOn;
        }

        long freeSince() {
            if (getState() != 0) {
                return TAKEN;
            }
            return goesOn ? Integer.toUnsignedLong(turns) : LEFT;
        }

        @SuppressWarnings("ReferenceEquality") // threads are the same or not
        boolean isMine() {
            return getExclusiveOwnerThread() == Thread.currentThread();
        }
    }
}
