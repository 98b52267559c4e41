package io.kvstore.server.edge;

import io.kvstore.DatabaseRestore;
import org.jspecify.annotations.Nullable;

/**
 * A job that a client asks for.
 *
 * @param database of the table
 * @param table the table; null for a job that is for no table
 * @param restore of a restore
 */
public record JobRequest(
        JobKind kind,
        @Nullable String database,
        @Nullable String table,
        @Nullable DatabaseRestore restore) {

    /** A job for the store as a whole. */
    public static JobRequest of(JobKind kind) {
        return new JobRequest(kind, null, null, null);
    }

    /** @throws ProblemException if something is missing, or is there and has no meaning */
    public JobRequest {
        if (kind.isOfTable() != (database != null && table != null)) {
            throw ProblemException.invalid(
                    kind.isOfTable()
                            ? kind + " is for one table: give its database and its name"
                            : kind + " is not for one table: leave the table out");
        }
        if ((kind == JobKind.RESTORE) != (restore != null)) {
            throw ProblemException.invalid(
                    restore == null
                            ? "RESTORE needs the id of the backup, its database, and the new name of the database"
                            : kind + " restores nothing: leave the restore out");
        }
    }
}
