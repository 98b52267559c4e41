package io.kvstore.client;

/**
 * Which database of which backup becomes which database of the store.
 *
 * @param backup the id of the backup
 * @param database its name in the backup
 * @param restoredAs its name in the store, which has no such database
 */
public record ClientRestore(long backup, String database, String restoredAs) {}
