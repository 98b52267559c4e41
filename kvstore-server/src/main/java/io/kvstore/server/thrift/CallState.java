package io.kvstore.server.thrift;

import java.util.function.BooleanSupplier;

/**
 * Whether a connection waits for a call, is busy with one, or has ended, and the time at which it ends if nothing happens.
 * State and time change together. A thread that ends a late connection looks at both and ends it in one step, so no call
 * begins between the look and the end. The connection's thread begins and ends calls; other threads end the connection.
 */
final class CallState {

    /** The deadline of a connection that may take as long as it needs. */
    static final long NEVER = Long.MAX_VALUE;

    private enum State {
        IDLE,
        BUSY,
        ENDED
    }

    private State state = State.IDLE;
    private long deadlineNanos;

    CallState(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
    }

    /** Sets another deadline. */
    synchronized void deadline(long nanos) {
        deadlineNanos = nanos;
    }

    /** Begins a call. Returns false if the connection has ended. */
    synchronized boolean beginCall(long deadline) {
        return go(State.IDLE, State.BUSY, deadline);
    }

    /** Ends a call, so that the connection waits for the next one. Returns false if the connection has ended. */
    synchronized boolean endCall(long deadline) {
        return go(State.BUSY, State.IDLE, deadline);
    }

    private boolean go(State from, State to, long deadline) {
        if (state != from) {
            return false;
        }
        state = to;
        deadlineNanos = deadline;
        return true;
    }

    synchronized boolean isBusy() {
        return state == State.BUSY;
    }

    /** Ends a connection that waits for a call. Returns whether it did. */
    synchronized boolean endIfIdle() {
        return go(State.IDLE, State.ENDED, NEVER);
    }

    /**
     * Ends a connection whose deadline has passed. Returns whether it did.
     *
     * @param isKept whether the connection stays all the same while it waits for a call; no call begins while this is asked
     */
    synchronized boolean endIfLate(long nowNanos, BooleanSupplier isKept) {
        boolean isLate = deadlineNanos != NEVER && nowNanos - deadlineNanos > 0;
        if (!isLate || (state == State.IDLE && isKept.getAsBoolean())) {
            return false;
        }
        state = State.ENDED;
        return true;
    }

    /** Ends the connection in any state. */
    synchronized void end() {
        state = State.ENDED;
    }
}
