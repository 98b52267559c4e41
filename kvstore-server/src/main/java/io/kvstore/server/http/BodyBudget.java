package io.kvstore.server.http;

import java.util.concurrent.atomic.AtomicLong;

/** The heap that request bodies may take together. Bytes are counted as they arrive, never as they are announced. */
final class BodyBudget {

    private final long totalBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    BodyBudget(long totalBytes) {
        this.totalBytes = totalBytes;
    }

    /** Takes bytes, or refuses the request. */
    void take(int bytes) {
        if (usedBytes.addAndGet(bytes) > totalBytes) {
            usedBytes.addAndGet(-bytes);
            throw new ProblemException(
                    Problem.of(ProblemCode.OVERLOADED, "the bodies of other requests take all memory for bodies"));
        }
    }

    void giveBack(int bytes) {
        usedBytes.addAndGet(-bytes);
    }

    long usedBytes() {
        return usedBytes.get();
    }
}
