package io.kvstore.durability;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The write lock of a table. A running thread takes it again without parking, so that 200 threads on two cores run like
 * two; a thread that has waited for 5 ms closes the gate, and then only those that were waiting before compete with it.
 *
 * <p>Interrupts end no wait; the flag is set again.
 */
final class TableLock {

    private static final long PATIENCE_NANOS = 5_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock gate = new ReentrantLock();

    void lock() {
        if (gate.isLocked() && !lock.isHeldByCurrentThread()) {
            passGate();
        }
        if (!lock.tryLock() && !tryForAWhile()) {
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
