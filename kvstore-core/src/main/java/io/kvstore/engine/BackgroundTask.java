package io.kvstore.engine;

import io.kvstore.data.Workers;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work of one kind that is done in the background. At most one run of it is queued or under way, however often it is asked for.
 * Any thread may ask. A request never waits for a lock of the store and throws nothing.
 *
 * <pre>
 *   idle ---- request ----> queued ---- a thread is free ----> running ---- ends ----> idle
 *                              ^                                  | requestAgain
 *                              +------------- ends ----------- again
 * </pre>
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>After {@link #requestAgain} a run begins after the call, and sees what the caller wrote before it, unless no thread is
 *       available or the task is closed.
 *   <li>A run that fails ends like any other. The thread that ran it reports the failure.
 *   <li>When {@link #close} has returned, no run begins, and none is under way unless it took an hour. Closing does not wait
 *       for a queued run, which may be behind the closing task in the queue.
 * </ol>
 */
public final class BackgroundTask implements AutoCloseable {

    private static final long CLOSE_TIMEOUT_MILLIS = 3_600_000;

    private static final int IDLE = 0;
    private static final int QUEUED = 1;
    private static final int RUNNING = 2;
    private static final int AGAIN = 3;

    private final Workers workers;
    private final Waiter waiter;
    private final Runnable work;

    /** Made once, because where there is no memory a request must not fail halfway. */
    private final Runnable run = this::run;

    private final AtomicInteger state = new AtomicInteger(IDLE);
    private volatile boolean closed;

    /**
     * @param workers the threads for this kind of work, of the same background as the waiter
     * @param waiter is signalled at the end of each run
     */
    public BackgroundTask(Workers workers, Waiter waiter, Runnable work) {
        this.workers = workers;
        this.waiter = waiter;
        this.work = work;
    }

    /**
     * Asks for a run, unless one is queued or under way. For work that looks at its end whether there is more. Returns false if
     * no thread is available; the next request tries again.
     */
    public boolean request() {
        return closed || state.get() != IDLE || !state.compareAndSet(IDLE, QUEUED) || offer();
    }

    /** Asks for a run that begins after this call. Returns false if no thread is available. */
    public boolean requestAgain() {
        while (!closed) {
            int now = state.get();
            int next = now == IDLE ? QUEUED : now == RUNNING ? AGAIN : now;
            if (state.compareAndSet(now, next)) { // also where nothing changes: the run sees what the caller wrote
                return now != IDLE || offer();
            }
        }
        return true;
    }

    private boolean offer() {
        boolean offered = false;
        try {
            offered = workers.offer(run);
            return offered;
        } finally {
            if (!offered) {
                state.set(IDLE);
            }
        }
    }

    /** The state says RUNNING before the task is found open or closed, so closing waits for this run. */
    private void run() {
        if (!state.compareAndSet(QUEUED, RUNNING)) {
            return;
        }
        try {
            if (!closed) {
                work.run();
            }
        } finally {
            try {
                if (!state.compareAndSet(RUNNING, IDLE)) {
                    state.set(QUEUED);
                    offer();
                }
            } finally {
                waiter.signal();
            }
        }
    }

    /** Whether a run is queued or under way. */
    public boolean isRequested() {
        return state.get() != IDLE;
    }

    /** Whether a run that is under way should end soon. */
    public boolean isClosed() {
        return closed;
    }

    /** Lets no run begin any more, and waits for the one that is under way, for at most an hour. */
    @Override
    public void close() {
        closed = true;
        waiter.await(() -> state.get() < RUNNING, CLOSE_TIMEOUT_MILLIS);
    }
}
