package io.kvstore.durability;

import io.kvstore.engine.Epochs;
import io.kvstore.engine.Waiter;
import io.kvstore.error.StoreClosedException;

/**
 * Knows which calls are under way, so that closing waits for them and what they may use is closed after them. A call enters
 * before it looks at anything, and looks whether the gate is closed after it entered; so either the closer sees the call or
 * the call sees the gate closed.
 */
final class CallGate {

    private static final long LOOK_AGAIN_MILLIS = 1;

    private final Epochs calls = new Epochs();
    private volatile boolean closed;

    /** Begins a call; the result goes to {@link #exit}. */
    int enter() {
        int ticket = calls.enter();
        if (closed) {
            calls.exit(ticket);
            throw new StoreClosedException("the store was closed; open it again");
        }
        return ticket;
    }

    void exit(int ticket) {
        calls.exit(ticket);
    }

    boolean isClosed() {
        return closed;
    }

    /** Lets no more calls in and waits until those inside have left. */
    void close(Waiter waiter) {
        closed = true;
        boolean left = calls.isQuiescent();
        while (!left) {
            left = waiter.await(calls::isQuiescent, LOOK_AGAIN_MILLIS);
        }
        calls.reclaim();
    }

    /** Runs the action when no call that is inside now is inside any more. */
    void retire(Runnable action) {
        calls.retire(action);
    }

    void reclaim() {
        calls.reclaim();
    }
}
