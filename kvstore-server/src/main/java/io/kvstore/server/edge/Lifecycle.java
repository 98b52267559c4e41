package io.kvstore.server.edge;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Knows whether the server is stopping, and limits how many long jobs (streams, imports, maintenance) it runs. Long jobs may
 * take only a part of the workers, so that single requests are answered beside them. Safe for use by several threads.
 */
public final class Lifecycle {

    private final Semaphore longJobs;
    private volatile boolean stopping;

    public Lifecycle(int maxLongJobs) {
        this.longJobs = new Semaphore(maxLongJobs);
    }

    public void stop() {
        stopping = true;
    }

    public boolean isStopping() {
        return stopping;
    }

    /** Called by a long job between two steps. Throws when the server is stopping. */
    public void checkNotStopping() {
        if (stopping) {
            throw new ProblemException(Problem.of(ProblemCode.STOPPING, "the server is stopping"));
        }
    }

    /** Begins a long job. The caller closes it when the answer has ended. */
    public LongJob beginLongJob() {
        if (!longJobs.tryAcquire()) {
            throw new ProblemException(
                    Problem.of(ProblemCode.OVERLOADED, "too many streams and maintenance jobs are running"));
        }
        return new LongJob(longJobs);
    }

    /** A long job; closing it twice is harmless. */
    public static final class LongJob implements AutoCloseable {

        private final Semaphore permits;
        private final AtomicBoolean closed = new AtomicBoolean();

        private LongJob(Semaphore permits) {
            this.permits = permits;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                permits.release();
            }
        }
    }
}
