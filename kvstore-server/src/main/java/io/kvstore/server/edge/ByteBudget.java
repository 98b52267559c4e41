package io.kvstore.server.edge;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Limits the heap memory that all requests of an edge take together. Bytes are counted as they arrive, not as they are
 * announced. A request that has no room now is told that the server is busy. A request that can never have room is told that
 * instead, because a client would try it again and again.
 */
public final class ByteBudget {

    private final long totalBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    public ByteBudget(long totalBytes) {
        this.totalBytes = totalBytes;
    }

    /** Refuses the request while others have more than all memory. Takes nothing. */
    public void check() {
        if (usedBytes.get() > totalBytes) {
            throw busy();
        }
    }

    /**
     * Takes bytes, or refuses the request.
     *
     * @param held the bytes that the request has taken before
     * @param tooLarge the code of the answer if the request needs more than the whole budget
     * @param what names the taker of the memory in that answer
     */
    public void take(long bytes, long held, ProblemCode tooLarge, Supplier<String> what) {
        if (held + bytes > totalBytes) {
            throw new ProblemException(Problem.beyond(
                    tooLarge,
                    what.get() + " takes " + (held + bytes) + " bytes of memory, and all requests together get "
                            + totalBytes + ": ask for or send less at a time, or start the server with a larger heap"
                            + " (-Xmx in JAVA_TOOL_OPTIONS)",
                    totalBytes,
                    held + bytes));
        }
        if (usedBytes.addAndGet(bytes) > totalBytes) {
            usedBytes.addAndGet(-bytes);
            throw busy();
        }
    }

    private static ProblemException busy() {
        return new ProblemException(Problem.of(ProblemCode.OVERLOADED, "other requests take all memory for requests"));
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

    /**
     * The share of one request. It is empty at first.
     *
     * @param tooLarge the code of the answer if the request needs more than the whole budget
     */
    public Claim claim(ProblemCode tooLarge) {
        return new Claim(this, tooLarge);
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
        private final ProblemCode tooLarge;
        private long bytes;
        private boolean closed;

        private Claim(ByteBudget budget, ProblemCode tooLarge) {
            this.budget = budget;
            this.tooLarge = tooLarge;
        }

        /** Takes more bytes, or refuses the request. */
        public void take(long more) {
            take(more, () -> "the request");
        }

        /**
         * Takes more bytes, or refuses the request.
         *
         * @param what names the taker of the memory, in the answer to a request that needs more than the whole budget
         */
        public synchronized void take(long more, Supplier<String> what) {
            if (closed) {
                throw new ProblemException(Problem.of(ProblemCode.OVERLOADED, "the request has ended already"));
            }
            budget.take(more, bytes, tooLarge, what);
            bytes += more;
        }

        /** Refuses the request while others have more than all memory, see {@link ByteBudget#check}. */
        public void check() {
            budget.check();
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
