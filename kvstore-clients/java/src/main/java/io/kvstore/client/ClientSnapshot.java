package io.kvstore.client;

/**
 * All tables as they were at one moment. It ends when it is closed, when it was not used for its lease, or when its
 * connection ends; reads then fail with {@link io.kvstore.client.error.SnapshotExpiredException}. Safe for several threads,
 * which take turns. Close it: it keeps old versions from being given back.
 */
public interface ClientSnapshot extends AutoCloseable {

    /** Reads a table as the snapshot sees it; makes no call. */
    TableReader table(String database, String table);

    /** How long it lives after its last use. */
    int leaseMillis();

    /** Ends it. Closing again does nothing. */
    @Override
    void close();
}
