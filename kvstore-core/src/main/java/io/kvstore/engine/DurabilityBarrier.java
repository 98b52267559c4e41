package io.kvstore.engine;

import java.io.IOException;

/** What an engine may ask of the log, without knowing it. For a table without a log both methods return at once. */
public interface DurabilityBarrier {

    /**
     * Returns when an answer that rests on {@code lsn} can no longer be taken back by a power loss. At once in a
     * {@code BUFFERED} table and when nothing is pending; else it waits for a sync, starting one if none is under way.
     *
     * @throws io.kvstore.error.StoreFailedException if the store failed and {@code lsn} is not durable
     */
    void beforeAnswer(long lsn);

    /** Whether {@link #beforeAnswer} would return at once. */
    boolean isPassed(long lsn);

    /** Makes the log durable up to {@code lsn}. Called before a commit point that covers {@code lsn}. */
    void beforeCommitPoint(long lsn) throws IOException;
}
