package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of an operation of the server at the moment of the answer. An operation goes on when connections end.
 *
 * @param id the id of the operation
 * @param kind the kind of the operation
 * @param database the database of the table; null if the operation is not for a table
 * @param table the name of the table; null if the operation is not for a table
 * @param state whether the operation runs, and how it ended
 * @param seconds how long the operation has run
 * @param doneBytes the bytes that are done; -1 if the operation does not count them
 * @param totalBytes the bytes in all, as known now; -1 if the operation does not count them
 * @param findingsTotal the number of damaged places that a VERIFY or VERIFY_BACKUPS found; 0 for other kinds
 * @param findings the first of these places; the server may leave out the others
 * @param error the error of an operation that failed, else null
 * @param backup the backup that a BACKUP has made, else null
 * @param restore of RESTORE, else null
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
        @Nullable KVClientException error,
        @Nullable ClientBackup backup,
        @Nullable ClientRestore restore) {

    /** The kind of an operation. */
    public enum Kind {
        /** Brings a table's memory to its files. */
        FLUSH,
        /** Makes a checkpoint of the store. */
        CHECKPOINT,
        /** Compacts a table, or puts its values in order. */
        OPTIMIZE,
        /** Reads and checks a whole table. */
        VERIFY,
        /** Makes a backup of the store. */
        BACKUP,
        /** Reads and checks all backups. */
        VERIFY_BACKUPS,
        /** Makes a database of one that a backup has. */
        RESTORE,
        /** A kind that a newer server knows and this client does not. */
        OTHER
    }

    /** The state of an operation. */
    public enum State {
        /** The operation runs. */
        RUNNING,
        /** The operation ended without an error. */
        DONE,
        /** The operation ended with an error. */
        FAILED,
        /** The operation stopped because it was asked to. */
        CANCELLED,
        /** A state that a newer server knows and this client does not. */
        OTHER
    }

    /**
     * A damaged place that VERIFY or VERIFY_BACKUPS found.
     *
     * @param place the file and the place in it, for people
     * @param message the rule that does not hold, for people
     */
    public record Finding(String place, String message) {}
}
