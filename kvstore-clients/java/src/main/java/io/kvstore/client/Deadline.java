package io.kvstore.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The moment when a call has to be over.
 *
 * @param endNanos the moment, as {@link System#nanoTime} counts
 */
record Deadline(long endNanos) {

    static Deadline in(long millis) {
        return new Deadline(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** The earlier one of this deadline and the moment that is the given number of milliseconds away. */
    Deadline atMost(long millis) {
        return remainingNanos() <= TimeUnit.MILLISECONDS.toNanos(millis) ? this : in(millis);
    }

    /** The time that is left; 0 or less if the deadline is over. */
    long remainingNanos() {
        return endNanos - System.nanoTime();
    }

    boolean isOver() {
        return remainingNanos() <= 0;
    }

    /** The time that is left, at least 1. A socket would take 0 as no limit. */
    int remainingMillis() {
        return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(remainingNanos()));
    }

    /** Waits until the deadline is over. Returns false at once if the thread is interrupted. The thread stays interrupted. */
    boolean await() {
        while (!isOver()) {
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(remainingNanos());
        }
        return true;
    }
}
