package io.kvstore.client;

/**
 * A view of all tables at one moment. Close it, because the store keeps old data for it. Safe for several threads. Over the
 * network the threads take turns.
 *
 * <p>A snapshot ends when it is closed, when it was not used for the time of its lease, when its connection ends, or when the
 * client is closed. Later reads fail with {@link io.kvstore.client.error.SnapshotExpiredException}. A read that finds that its
 * connection has ended, or that its client is closed, fails with {@link io.kvstore.client.error.ConnectionFailedException}
 * instead.
 */
public interface ClientSnapshot extends AutoCloseable {

    /** A reader of a table as it was at the moment of the snapshot. This makes no call, and the table need not exist. */
    TableReader table(String database, String table);

    /** The time in milliseconds that the snapshot lives after its last use. */
    int leaseMillis();

    /** Ends the snapshot. Closing again does nothing. A read that is under way over the network fails. */
    @Override
    void close();
}
