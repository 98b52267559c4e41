package io.kvstore.durability;

import java.io.Serial;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The write lock of a table. A running thread takes the lock whenever it is free. One waiting thread spins before it parks. A
 * thread that has waited for 5 ms closes the gate, at which later threads queue. Under heavy contention, when many threads wait
 * for owners that come back at once, threads take turns. {@code docs/design/table-lock.md} has the states, the invariants, and
 * the reasons for all constants.
 *
 * <p>A release wakes the first parked thread, unless another thread is likely to have the lock before that thread runs: a
 * thread that spins, or the owner, if it says that it comes back at once ({@link #unlockForNow}) and has had the lock several
 * times in a row. At each {@value #STREAK}th acquisition in a row the owner is not expected to come back. A release looks at
 * the gate after the lock is free, and wakes a thread if the gate is closed.
 *
 * <p>An interrupt does not end a wait; the thread's flag is set again. The owner may take the lock again.
 */
final class TableLock {

    private static final long PATIENCE_NANOS = 5_000_000;
    private static final long SPIN_NANOS = 10_000;

    /** Pauses between two looks at the lock, so that the owner is not disturbed. */
    private static final int PAUSES = 10;

    /** Pauses with many waiting threads: some tenths of a microsecond, longer than between two operations of an owner. */
    private static final int PAUSES_OF_MANY = 30;

    static final int MANY_WAITING = 8;

    /** The owner left the lock and does not come back at once; see {@link #freeSince}. */
    static final long LEFT = -2;

    /** A thread has the lock; see {@link #freeSince}. */
    static final long TAKEN = -1;

    static final int STREAK = 1024;

    /** Acquisitions in a row of one turn, which take 0.2 ms for puts without a log. */
    static final int TURN = 384;

    /** Acquisitions in a row of one turn for operations that go to the log first, which take twice as long. */
    static final int LOGGED_TURN = 192;

    /** A thread that had the lock this many times in a row is expected to take it again soon. */
    private static final int EXPECTED_AFTER = 3;

    private static final boolean CAN_SPIN = Runtime.getRuntime().availableProcessors() > 1;

    private final AtomicBoolean spinning = new AtomicBoolean();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Ownership lock = new Ownership();
    private final ReentrantLock gate = new ReentrantLock(true);
    private final int turn;

    /** @param turn how often in a row an owner has the lock while threads take turns */
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

    /** Whether this thread had the lock last, and less often in a row than it may while others stand at the gate. */
    boolean mayGoOn() {
        return lock.mayGoOn();
    }

    /**
     * Whether many threads wait for owners that come back at once. Where owners wait for the disk instead, running threads
     * should not wait for one that is woken.
     */
    private boolean isInTurn() {
        return waiting.get() >= MANY_WAITING && lock.goesOn;
    }

    /** Waits until the threads at the gate have had the lock. While threads take turns, takes it too and returns true. */
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

    /** Takes the lock if it becomes free soon, unless another thread spins. */
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

    /** {@link #TAKEN}, {@link #LEFT}, or the number of the acquisition whose owner left the lock and comes back at once. */
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

    /** Gives the lock back. The owner does not come back at once. */
    void unlock() {
        lock.release(Ownership.FOR_LONG);
    }

    /**
     * Gives back all that the thread has of the lock and the gate, even if an error ended {@link #lock} or {@link #unlock}
     * halfway. Does nothing if it has neither.
     */
    void unlockIfMine() {
        while (lock.isMine()) {
            lock.release(Ownership.FOR_LONG);
        }
        while (gate.isHeldByCurrentThread()) {
            gate.unlock();
        }
    }

    /** Gives the lock back. The owner is likely to take it again at once, without waiting for the disk or anything else. */
    void unlockForNow() {
        lock.release(Ownership.FOR_NOW);
    }

    /** The owner, how often it took the lock reentrantly, and the queue of parked threads. */
    private final class Ownership extends AbstractQueuedSynchronizer {

        static final int FOR_LONG = 0;
        static final int FOR_NOW = 1;

        @Serial
        private static final long serialVersionUID = 1;

        // written by the owner, and read by the last owner until another thread has the lock
        private long lastOwner;
        private long inARow;

        // written by the owner; other threads read these as a guess after they saw the lock free
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

        /** Returns whether the lock is free and a parked thread is to be woken. */
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

        boolean mayGoOn() {
            return lastOwner == Thread.currentThread().threadId() && inARow < turn;
        }

        long freeSince() {
            if (getState() != 0) {
                return TAKEN;
            }
            return goesOn ? Integer.toUnsignedLong(turns) : LEFT;
        }

        @SuppressWarnings("ReferenceEquality") // threads are compared by identity
        boolean isMine() {
            return getExclusiveOwnerThread() == Thread.currentThread();
        }
    }
}
