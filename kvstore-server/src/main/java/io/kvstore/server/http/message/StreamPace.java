package io.kvstore.server.http.message;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How slow the clients of bodies and answers of any length may be. A thread, a cursor or a file is kept for each of them until
 * its end. A client may be a time behind a pace. Safe for use by several threads.
 */
public final class StreamPace {

    private final int behindMillis;
    private final long nanosPerByte;
    private final LongSupplier nanoTime;
    private final Runnable tooSlow;

    /**
     * @param behindMillis how far a client may be behind
     * @param bytesPerSecond the pace
     * @param tooSlow is told of each client that is further behind
     */
    public StreamPace(int behindMillis, int bytesPerSecond, Runnable tooSlow) {
        this(behindMillis, bytesPerSecond, System::nanoTime, tooSlow);
    }

    StreamPace(int behindMillis, int bytesPerSecond, LongSupplier nanoTime, Runnable tooSlow) {
        this.behindMillis = behindMillis;
        this.nanosPerByte = TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
        this.nanoTime = nanoTime;
        this.tooSlow = tooSlow;
    }

    /** How far a client may be behind, and so the longest time in which nothing comes from it. */
    public int behindMillis() {
        return behindMillis;
    }

    /** The time for the rest of a body whose request is answered already. Nobody wants that rest. */
    public int restMillis() {
        return (int) Math.min(Limits.BODY_MILLIS, behindMillis);
    }

    /** A body that must not arrive too slowly. Closing it does nothing. */
    InputStream of(InputStream in) {
        return new PacedInput(in, new Pace());
    }

    /** An answer that must not be taken too slowly. Closing it sends its end. */
    public OutputStream of(OutputStream out) {
        return new PacedOutput(out, new Pace());
    }

    /** Thrown for a client that is too far behind. */
    public static final class TooSlowException extends IOException {

        private static final long serialVersionUID = 1L;

        TooSlowException() {
            super("the client is too slow");
        }
    }

    /**
     * How far one client is behind. The time of waits for it counts, less a time for each byte that has come or gone. A client
     * that was fast has no credit from that: it could be as slow as it likes afterwards, and keep the place of a long job. For
     * use by one thread.
     */
    final class Pace {

        private long behindNanos;
        private long begunNanos;

        /** A wait for the client begins. */
        void begin() {
            begunNanos = nanoTime.getAsLong();
        }

        /**
         * A wait has ended.
         *
         * @param bytes those that have come or gone
         * @throws TooSlowException if the client is too far behind
         */
        void end(int bytes) throws TooSlowException {
            addWait(bytes);
            if (isTooFarBehind()) {
                throw tooSlow();
            }
        }

        private void addWait(int bytes) {
            long waitedNanos = nanoTime.getAsLong() - begunNanos;
            behindNanos = Math.max(0, behindNanos + waitedNanos - bytes * nanosPerByte);
        }

        private boolean isTooFarBehind() {
            return behindNanos > TimeUnit.MILLISECONDS.toNanos(behindMillis);
        }

        /**
         * A wait has ended with a failure.
         *
         * @return the failure, or, if the connection was closed because nothing went for too long, one that says so
         */
        IOException endFailed(IOException failure) {
            addWait(0);
            if (!isTooFarBehind()) {
                return failure;
            }
            TooSlowException slow = tooSlow();
            slow.initCause(failure);
            return slow;
        }

        TooSlowException tooSlow() {
            tooSlow.run();
            return new TooSlowException();
        }
    }
}
