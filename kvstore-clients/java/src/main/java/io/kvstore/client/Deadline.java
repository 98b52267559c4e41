package io.kvstore.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The moment when a call has to be over. */
record Deadline(long endNanos) {

    static Deadline in(long millis) {
        return new Deadline(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** This, or in so many milliseconds if that is earlier. */
    Deadline atMost(long millis) {
        return remainingNanos() <= TimeUnit.MILLISECONDS.toNanos(millis) ? this : in(millis);
    }

    /** What is left; below 0 when it is over. */
    long remainingNanos() {
        return endNanos - System.nanoTime();
    }

    boolean isOver() {
        return remainingNanos() <= 0;
    }

    /** What is left, at least 1: a socket takes 0 for no limit. */
    int remainingMillis() {
        return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(remainingNanos()));
    }

    /** Waits until it is over; false if the thread was interrupted, which it stays. */
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
