package io.kvstore.data;

import io.kvstore.error.Notices;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** Threads for work that the calling thread does not wait for. */
@FunctionalInterface
public interface Workers extends Executor {

    /**
     * Runs the task soon on a background thread. A task that fails is reported, never lost in silence. Only implementations of
     * this interface call this method. Other code calls {@link #offer} or {@link #executeOnce}.
     *
     * @throws java.util.concurrent.RejectedExecutionException if no thread is available
     * @throws OutOfMemoryError if no thread can be started
     */
    @Override
    void execute(Runnable task);

    /** Runs the task soon on a background thread. False, and the task is dropped, if no thread is available. Throws nothing. */
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
     * Runs the task soon, unless the flag says that it is scheduled already. The task clears the flag. If no thread is
     * available, this method clears the flag and returns false. Throws nothing.
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
