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
     * Takes an operation, whose lsn is greater than that of any before; it may be applied only with the next {@link #flush}.
     *
     * @throws io.kvstore.error.DiskFullException if it cannot be because the disk is full
     */
    void add(long lsn, List<Mutation> mutations) throws IOException;

    /** Applies what was taken and was not applied yet. */
    void flush() throws IOException;

    /** Bytes of the heap that hold what was not applied yet, about. */
    long heldBytes();
}
