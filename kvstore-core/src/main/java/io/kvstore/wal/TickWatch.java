package io.kvstore.wal;

import io.kvstore.data.Clock;

/**
 * Watches whether {@link WriteAheadLog#tick} is still called. The promise to sync within an interval must not depend on one
 * thread: if no tick came for twice the interval, a writer does its work.
 *
 * <p>{@link #appended} is called under the log's lock, the other methods by any thread. Writers look at the clock for one
 * record in {@value #RECORDS}, because a look takes part of the time of a write.
 */
final class TickWatch {

    private static final int RECORDS = 16;

    private final Clock clock;
    private final long patienceNanos;
    private int records;
    private volatile long lastTickNanos;
    private volatile boolean overdue;

    TickWatch(Clock clock, long syncIntervalMillis) {
        this.clock = clock;
        this.patienceNanos = 2 * syncIntervalMillis * 1_000_000;
        this.lastTickNanos = clock.nanoTime();
    }

    /** A tick has begun, or a writer does the work of a tick. */
    void ticked() {
        lastTickNanos = clock.nanoTime();
        overdue = false;
    }

    void appended() {
        if (records++ % RECORDS == 0 && clock.nanoTime() - lastTickNanos > patienceNanos) {
            overdue = true;
        }
    }

    /** Whether a writer should do the work of a tick. */
    boolean isOverdue() {
        return overdue;
    }

    long millisSinceTick() {
        return (clock.nanoTime() - lastTickNanos) / 1_000_000;
    }
}
