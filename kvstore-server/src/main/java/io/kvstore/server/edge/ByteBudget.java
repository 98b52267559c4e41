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
    public void take(int bytes) {
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

    public long usedBytes() {
        return usedBytes.get();
    }
}
