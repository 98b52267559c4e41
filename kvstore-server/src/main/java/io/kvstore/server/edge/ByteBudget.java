package io.kvstore.server.edge;

import java.util.concurrent.atomic.AtomicLong;

/** The heap that requests of an edge may take together. Bytes are counted as they arrive, never as they are announced. */
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

    /** Takes bytes for what can be done without: refuses if less than half of all would stay free. */
    public void takeSpare(int bytes) {
        if (usedBytes.addAndGet(bytes) > totalBytes / 2) {
            usedBytes.addAndGet(-bytes);
            throw new ProblemException(Problem.of(ProblemCode.OVERLOADED, "no memory for requests is to spare"));
        }
    }

    public void giveBack(int bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /** What one request takes; nothing at first. */
    public Claim claim() {
        return new Claim(this);
    }

    public long usedBytes() {
        return usedBytes.get();
    }

    /**
     * The part of one request, which grows as the request does and goes back as a whole when it ends. A request may end while
     * it is still worked at, because its client went away: then nothing more is taken. Safe for use by several threads.
     */
    public static final class Claim implements AutoCloseable {

        private final ByteBudget budget;
        private long bytes;
        private boolean closed;

        private Claim(ByteBudget budget) {
            this.budget = budget;
        }

        /** Takes bytes more, or refuses the request. */
        public synchronized void take(long more) {
            if (closed) {
                throw new ProblemException(Problem.of(ProblemCode.OVERLOADED, "the request has ended already"));
            }
            budget.take(more);
            bytes += more;
        }

        /** Gives a part back. */
        public synchronized void giveBack(long less) {
            if (!closed) {
                budget.usedBytes.addAndGet(-less);
                bytes -= less;
            }
        }

        /** Gives all back, and may take again. */
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
