package io.kvstore.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps the closing of something apart from background tasks that use it: {@link #close} waits for the tasks that run, and one
 * that begins later does nothing. It does not wait for what is only queued, which may be behind the one that closes.
 */
public final class TaskGate implements AutoCloseable {

    private static final long CLOSE_TIMEOUT_MILLIS = 3_600_000;

    private final Waiter waiter;
    private final AtomicInteger running = new AtomicInteger();
    private volatile boolean closed;

    /** Open. */
    public TaskGate(Waiter waiter) {
        this.waiter = waiter;
    }

    /** Does a task's work, unless this was closed. */
    public void run(Runnable work) {
        running.incrementAndGet(); // before it looks whether this is closed
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

    /** Returns when no task runs any more. */
    @Override
    public void close() {
        closed = true;
        waiter.await(() -> running.get() == 0, CLOSE_TIMEOUT_MILLIS);
    }
}
