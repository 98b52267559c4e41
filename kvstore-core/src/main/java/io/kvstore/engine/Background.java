package io.kvstore.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** The store's background work and its waits. A test replaces it by one that runs everything in the test's own thread. */
public interface Background extends Executor, AutoCloseable {

    /** Runs the task soon on a background thread. A task that fails is reported, never lost in silence. */
    @Override
    void execute(Runnable task);

    /**
     * Runs the task soon, unless it is scheduled already, as the flag says. The task clears the flag; so does this if the task
     * is refused.
     */
    default void executeOnce(AtomicBoolean scheduled, Runnable task) {
        if (!scheduled.compareAndSet(false, true)) {
            return;
        }
        boolean handedOver = false;
        try {
            execute(task);
            handedOver = true;
        } finally {
            if (!handedOver) {
                scheduled.set(false);
            }
        }
    }

    /** Runs the task again and again until the result is closed. */
    Ticket every(long periodMillis, Runnable task);

    /** How threads wait for something that background work brings about. */
    Waiter waiter();

    /** Waits for running tasks and drops those that have not begun. */
    @Override
    void close();

    /** Ends a repeated task. */
    @FunctionalInterface
    interface Ticket extends AutoCloseable {
        @Override
        void close();
    }
}
