package io.kvstore.engine;

import io.kvstore.data.Mutation;
import java.io.IOException;
import java.util.List;

/**
 * Brings operations of the log into an engine when its store is opened. Nothing else is called on the engine until
 * {@link #flush} has returned for the last time. Used by one thread.
 */
public interface Replay {

    /**
     * Waits until there is room for {@code bytes} more.
     *
     * @throws io.kvstore.error.OverloadedException if that takes longer than the stall time-out; the caller can try again
     * @throws IOException if the disk is full, or fails
     */
    void admit(long bytes) throws IOException;

    /** Takes an operation whose lsn is greater than any before. It may be applied only with the next {@link #flush}. */
    void add(long lsn, List<Mutation> mutations) throws IOException;

    /** Applies all operations that were taken and are not applied yet. */
    void flush() throws IOException;

    /** The approximate heap bytes of operations that are not applied yet. */
    long heldBytes();
}
