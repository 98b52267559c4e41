package io.kvstore.server.edge;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the heap memory that all requests of an edge take together. Bytes are counted as they arrive, not as they are
 * announced.
 */
public final class ByteBudget {

    private final long totalBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    public ByteBudget(long totalBytes) {
        this.totalBytes = totalBytes;
    }

    /** Takes bytes, or refuses the request. */
    public void take(long bytes) {
        if (usedBytes.addAndGet(bytes) > totalBytes) {
            usedBytes.addAndGet(-bytes);
            throw new ProblemException(
                    Problem.of(ProblemCode.OVERLOADED, "other requests take all memory for requests"));
        }
    }

    /** Takes bytes for an optional use. Refuses if less than half of the budget would stay free. */
    public void takeSpare(int bytes) {
        if (usedBytes.addAndGet(bytes) > totalBytes / 2) {
            usedBytes.addAndGet(-bytes);
            throw new ProblemException(Problem.of(ProblemCode.OVERLOADED, "no memory for requests is to spare"));
        }
    }

    /**
     * Counts bytes of an answer that may no longer be refused, because the request has changed something. They may exceed the
     * budget. Then other requests are refused until they are given back.
     */
    public void takeAnyway(long bytes) {
        usedBytes.addAndGet(bytes);
    }

    public void giveBack(int bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /** The share of one request. It is empty at first. */
    public Claim claim() {
        return new Claim(this);
    }

    public long usedBytes() {
        return usedBytes.get();
    }

    /**
     * The bytes of one request. They grow as the request does, and are all given back when it ends. A request may end while a
     * thread still works on it, because its client went away. After that, nothing more is taken. Safe for use by several
     * threads.
     */
    public static final class Claim implements AutoCloseable {

        private final ByteBudget budget;
        private long bytes;
        private boolean closed;

        private Claim(ByteBudget budget) {
            this.budget = budget;
        }

        /** Takes more bytes, or refuses the request. */
        public synchronized void take(long more) {
            if (closed) {
                throw new ProblemException(Problem.of(ProblemCode.OVERLOADED, "the request has ended already"));
            }
            budget.take(more);
            bytes += more;
        }

        /** Counts bytes of an answer that may no longer be refused, see {@link ByteBudget#takeAnyway}. */
        public synchronized void takeAnyway(long more) {
            if (!closed) {
                budget.takeAnyway(more);
                bytes += more;
            }
        }

        /** Gives some of the bytes back. */
        public synchronized void giveBack(long less) {
            if (!closed) {
                budget.usedBytes.addAndGet(-less);
                bytes -= less;
            }
        }

        /** Gives all bytes back. More may be taken afterwards. */
        public synchronized void giveBackAll() {
            giveBack(bytes);
        }

        @Override
        public synchronized void close() {
            giveBackAll();
            closed = true;
        }
    }
}
