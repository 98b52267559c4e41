package io.kvstore.engine;

import java.io.IOException;

/** The requests that an engine may make to the log, which it does not know. Without a log all methods return at once. */
public interface DurabilityBarrier {

    /**
     * Returns when a power loss can no longer take back an answer that depends on {@code lsn}. Returns at once in a
     * {@code BUFFERED} table and when nothing is pending. Otherwise it waits for a sync, and starts one if none is under way.
     *
     * @throws io.kvstore.error.StoreFailedException if the store failed and {@code lsn} is not durable
     */
    void beforeAnswer(long lsn);

    /** Whether {@link #beforeAnswer} would return at once. */
    boolean isPassed(long lsn);

    /** An lsn for which {@link #isPassed} holds, as it does for all below; {@link Long#MAX_VALUE} if nothing is waited for. */
    default long passedLsn() {
        return isPassed(Long.MAX_VALUE) ? Long.MAX_VALUE : 0;
    }

    /** Makes the log durable up to {@code lsn}. Called before a commit point that covers {@code lsn}. */
    void beforeCommitPoint(long lsn) throws IOException;
}
