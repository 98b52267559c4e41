package io.kvstore;

/**
 * Which database of which backup becomes which database of a store.
 *
 * @param backup the id of the backup
 * @param database its name in the backup
 * @param restoredAs its name in the store, which has no such database
 */
public record DatabaseRestore(long backup, String database, String restoredAs) {

    /** @throws io.kvstore.error.InvalidRequestException if a name is none of a database */
    public DatabaseRestore {
        Names.check("database", database);
        Names.check("database", restoredAs);
    }
}
