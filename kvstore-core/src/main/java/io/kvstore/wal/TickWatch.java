package io.kvstore.wal;

import io.kvstore.data.Clock;

/**
 * Sees whether somebody still calls {@link WriteAheadLog#tick}: the promise to sync within an interval must not hang on one
 * thread. If nobody has for twice the interval, a writer does that work.
 *
 * <p>{@link #appended} is called under the log's lock, the rest by anybody. A writer looks at the clock with one record of
 * {@value #RECORDS}, since a look takes as long as a part of its write.
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

    /** A tick has begun, or a writer does what one would do. */
    void ticked() {
        lastTickNanos = clock.nanoTime();
        overdue = false;
    }

    /** A record was appended. */
    void appended() {
        if (records++ % RECORDS == 0 && clock.nanoTime() - lastTickNanos > patienceNanos) {
            overdue = true;
        }
    }

    /** Whether a writer should do what a tick would do. */
    boolean isOverdue() {
        return overdue;
    }

    /** How long ago the last tick began. */
    long millisSinceTick() {
        return (clock.nanoTime() - lastTickNanos) / 1_000_000;
    }
}
