package io.kvstore.durability;

import io.kvstore.engine.Epochs;
import io.kvstore.engine.Waiter;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StoreClosedException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Knows which calls are under way, so that closing waits for them, and closes the things that they use after them. A call
 * enters before it looks at anything, and checks whether the gate is closed after it entered. So either the closer sees the
 * call or the call sees the gate closed.
 */
final class CallGate {

    private static final long LOOK_AGAIN_MILLIS = 1;
    private static final int LOOKS_BETWEEN_SEARCHES = 100;

    /** In place of a ticket: the gate is closed. */
    static final int REFUSED = -1;

    private final Epochs calls = new Epochs();

    /** Threads inside calls that may run code of the user. That code may try to close the store. */
    private final Set<Thread> mayCallBack = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /** Begins a call. The result is passed to {@link #exit}. */
    int enter() {
        int ticket = tryEnter();
        if (ticket == REFUSED) {
            throw new StoreClosedException("the store was closed; open it again");
        }
        return ticket;
    }

    /**
     * As {@link #enter}, but returns {@link #REFUSED} once the store is closing. For the closing of a view or a hold, which
     * closing the store does, too. If that closing is a call, closing the store waits for it. If it is refused, closing the
     * store does its work. So the two never do it at the same time, and no engine that it uses is closed meanwhile.
     */
    int tryEnter() {
        int ticket = calls.enter();
        if (closed) {
            calls.exit(ticket);
            return REFUSED;
        }
        return ticket;
    }

    void exit(int ticket) {
        calls.exit(ticket);
    }

    /**
     * Whether this thread is in no call yet that may run code of the user. Asked before {@link #beginCallbacks}, which may fail
     * halfway, so that {@link #exitCallbacks} knows what to end.
     */
    boolean isOutsideCallbacks() {
        return !mayCallBack.contains(Thread.currentThread());
    }

    /** Says that this thread may run code of the user inside its call. */
    void beginCallbacks() {
        mayCallBack.add(Thread.currentThread());
    }

    /**
     * Ends a call that may have run code of the user, even if it failed at its beginning.
     *
     * @param wasOutside whether it is the outermost call of its kind
     */
    void exitCallbacks(int ticket, boolean wasOutside) {
        try {
            if (wasOutside) {
                mayCallBack.remove(Thread.currentThread());
            }
        } finally {
            exit(ticket);
        }
    }

    /** Refuses to close the store from inside a call. Closing waits for calls, so such a call would wait for itself. */
    void refuseFromInside() {
        if (mayCallBack.contains(Thread.currentThread())) {
            throw new InvalidRequestException(
                    "the store cannot be closed from inside one of its calls, such as by a visitor; close it when the"
                            + " call has returned");
        }
    }

    /** Runs a call that may run code of the user. Closing waits for it. */
    <T extends @Nullable Object> T run(String what, OpenStore.Call<T> call) {
        int ticket = enter();
        boolean wasOutside = false;
        try {
            wasOutside = isOutsideCallbacks();
            beginCallbacks();
            return call.run();
        } catch (IOException e) {
            throw StorageErrors.of(what, e);
        } finally {
            exitCallbacks(ticket, wasOutside);
        }
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Lets no more calls in and waits until the calls inside have left. An Error during the wait is thrown afterwards.
     *
     * @throws InvalidRequestException if a call inside never leaves, because it ends the process; then nothing that calls use
     *     may be closed
     */
    void close(Waiter waiter) {
        closed = true;
        Error failed = null;
        for (int looks = 1; !calls.isQuiescent(); looks++) {
            try {
                if (!waiter.await(calls::isQuiescent, LOOK_AGAIN_MILLIS) && looks % LOOKS_BETWEEN_SEARCHES == 0) {
                    mayCallBack.forEach(CallGate::requireThatItEnds);
                }
            } catch (Error e) {
                failed = e;
            }
        }
        calls.reclaim();
        if (failed != null) {
            throw failed;
        }
    }

    /** A thread that ends the process waits for the shutdown hooks. A hook that closes the store would wait for that thread. */
    private static void requireThatItEnds(Thread inside) {
        for (StackTraceElement frame : inside.getStackTrace()) {
            if (frame.getClassName().equals("java.lang.Shutdown")) {
                throw new InvalidRequestException("thread " + inside.getName()
                        + " ends the process from inside a call of the store, which therefore never ends; the store is"
                        + " not closed, and the next one who opens it recovers");
            }
        }
    }

    /** Runs the action after all calls that are inside now have left. */
    void retire(Runnable action) {
        calls.retire(action);
    }

    void reclaim() {
        calls.reclaim();
    }
}
