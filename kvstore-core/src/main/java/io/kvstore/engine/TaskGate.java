package io.kvstore.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps background tasks from using something that is closed. {@link #close} waits for the tasks that run, and a task that
 * begins later does nothing. Closing does not wait for queued tasks, because they may be behind the closing task in the queue.
 */
public final class TaskGate implements AutoCloseable {

    private static final long CLOSE_TIMEOUT_MILLIS = 3_600_000;

    private final Waiter waiter;
    private final AtomicInteger running = new AtomicInteger();
    private volatile boolean closed;

    /** An open gate. */
    public TaskGate(Waiter waiter) {
        this.waiter = waiter;
    }

    /** Does the work of a task, unless the gate is closed. */
    public void run(Runnable work) {
        running.incrementAndGet(); // before the gate is checked, so that close waits for this task
        try {
            if (!closed) {
                work.run();
            }
        } finally {
            running.decrementAndGet();
            waiter.signal();
        }
    }

    /** Whether work under way should end soon. */
    public boolean isClosed() {
        return closed;
    }

    /** Closes the gate and waits until no task runs any more, for at most an hour. */
    @Override
    public void close() {
        closed = true;
        waiter.await(() -> running.get() == 0, CLOSE_TIMEOUT_MILLIS);
    }
}
