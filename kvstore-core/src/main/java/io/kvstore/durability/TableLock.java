package io.kvstore.durability;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The write lock of a table. A running thread takes it again without parking, so that 200 threads on two cores run like
 * two; a thread that has waited for 5 ms closes the gate, and then only those that were waiting before compete with it.
 *
 * <p>The first thread that finds it taken looks again for 10 us before it parks: an operation holds the lock for one or two,
 * and to park and be woken takes longer than ten, in which a processor idles. One thread at a time does so, so that of many
 * that wait no more than one is at work.
 *
 * <p>Interrupts end no wait; the flag is set again.
 */
final class TableLock {

    private static final long PATIENCE_NANOS = 5_000_000;
    private static final long SPIN_NANOS = 10_000;

    /** Between two looks at the lock, so that the one who has it is not disturbed. */
    private static final int PAUSES = 10;

    private static final boolean CAN_SPIN = Runtime.getRuntime().availableProcessors() > 1;

    private final AtomicBoolean spinning = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock gate = new ReentrantLock();

    void lock() {
        if (gate.isLocked() && !lock.isHeldByCurrentThread()) {
            passGate();
        }
        if (!lock.tryLock() && !spin() && !tryForAWhile()) {
            gate.lock();
            try {
                lock.lock();
            } finally {
                gate.unlock();
            }
        }
    }

    /** Waits until who closed the gate has the lock. */
    private void passGate() {
        gate.lock();
        try {
            // nothing to do: having waited is the point
        } finally {
            gate.unlock();
        }
    }

    /** Takes the lock if it becomes free at once, unless another thread is doing this. */
    private boolean spin() {
        if (!CAN_SPIN || spinning.get() || !spinning.compareAndSet(false, true)) {
            return false;
        }
        try {
            long begin = System.nanoTime();
            do {
                for (int i = 0; i < PAUSES; i++) {
                    Thread.onSpinWait();
                }
                if (!lock.isLocked() && lock.tryLock()) {
                    return true;
                }
            } while (System.nanoTime() - begin < SPIN_NANOS);
            return false;
        } finally {
            spinning.set(false);
        }
    }

    private boolean tryForAWhile() {
        boolean interrupted = false;
        try {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (true) {
                try {
                    return lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
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

    void unlock() {
        lock.unlock();
    }
}
