package io.kvstore.data;

import java.util.concurrent.locks.LockSupport;

/** Short waits between two looks at something that no thread signals. */
public final class Pause {

    private Pause() {}

    /**
     * Waits for the whole time. An interrupt does not shorten the wait; the flag is set again on return. Allocates nothing.
     *
     * <p>A thread whose flag is set is not parked, so the flag is cleared meanwhile. To set it again is as good as an unpark:
     * the first wait of the next pause returns at once. So this method waits until the time is over.
     */
    public static void nanos(long nanos) {
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
