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
     * @throws io.kvstore.error.OverloadedException if that takes longer than the stall time-out; it can be tried again
     * @throws IOException if the disk is full, or fails
     */
    void admit(long bytes) throws IOException;

    /** Takes an operation, with an lsn greater than any before; it may be applied only with the next {@link #flush}. */
    void add(long lsn, List<Mutation> mutations) throws IOException;

    /** Applies what was taken and was not applied yet. */
    void flush() throws IOException;

    /** Bytes of the heap that hold what was not applied yet, about. */
    long heldBytes();
}
