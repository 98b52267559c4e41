package io.kvstore.data;

import io.kvstore.error.Notices;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** Threads for work that nobody waits for in place. */
@FunctionalInterface
public interface Workers extends Executor {

    /**
     * Runs the task soon on a background thread. A task that fails is reported, never lost in silence. Only who implements
     * this calls it: others {@link #offer} their tasks, or have them {@link #executeOnce}.
     *
     * @throws java.util.concurrent.RejectedExecutionException if no thread can be had
     * @throws OutOfMemoryError if none can be started
     */
    @Override
    void execute(Runnable task);

    /** The same, but false if no thread can be had, whatever the reason; the task is dropped then. Throws nothing. */
    default boolean offer(Runnable task) {
        try {
            execute(task);
            return true;
        } catch (Throwable e) {
            Notices.debug(Workers.class, null, "a task finds no thread", e);
            return false;
        }
    }

    /**
     * Runs the task soon, unless it is scheduled already, as the flag says. The task clears the flag; so does this if no thread
     * can be had, and returns false. Throws nothing.
     */
    default boolean executeOnce(AtomicBoolean scheduled, Runnable task) {
        if (!scheduled.compareAndSet(false, true)) {
            return true;
        }
        boolean handedOver = offer(task);
        if (!handedOver) {
            scheduled.set(false);
        }
        return handedOver;
    }
}
