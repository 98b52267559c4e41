package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job of the server, as it was when it was asked for. It goes on when connections end.
 *
 * @param id names it
 * @param kind what it does
 * @param database the database of its table; null for CHECKPOINT
 * @param table its table; null for CHECKPOINT
 * @param state how far it is
 * @param seconds how long it has run
 * @param doneBytes bytes done; -1 where the job does not count them
 * @param totalBytes bytes in all, as far as is known now; -1 where the job does not count them
 * @param findingsTotal of VERIFY: how many there are in all
 * @param findings of VERIFY: the first of them
 * @param error why it failed; null if it did not
 */
public record OperationResult(
        long id,
        Kind kind,
        @Nullable String database,
        @Nullable String table,
        State state,
        double seconds,
        long doneBytes,
        long totalBytes,
        long findingsTotal,
        List<Finding> findings,
        @Nullable KVClientException error) {

    /** What a job does. */
    public enum Kind {
        /** Brings a table's memory to its files. */
        FLUSH,
        /** Makes a checkpoint of the store. */
        CHECKPOINT,
        /** Compacts a table, or puts its values in order. */
        OPTIMIZE,
        /** Reads all of a table and checks it. */
        VERIFY,
        /** One that a newer server knows and this client does not. */
        OTHER
    }

    /** How far a job is. */
    public enum State {
        /** It runs. */
        RUNNING,
        /** It ended well. */
        DONE,
        /** It ended with an error. */
        FAILED,
        /** It was asked to stop and did. */
        CANCELLED,
        /** One that a newer server knows and this client does not. */
        OTHER
    }

    /**
     * A damaged place that VERIFY found.
     *
     * @param place where it is
     * @param message which rule does not hold
     */
    public record Finding(String place, String message) {}
}
