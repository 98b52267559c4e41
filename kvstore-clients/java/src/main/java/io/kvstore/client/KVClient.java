package io.kvstore.client;

import java.util.List;
import java.util.Map;

/**
 * A key-value store: databases of tables, each table an ordered map from byte strings to byte strings. This interface is
 * implemented over the network by {@link #connect}, and over a store in the process by {@code EmbeddedClient} of
 * kvstore-client-embedded.
 *
 * <p>All methods are safe for several threads. They report every failure as a
 * {@link io.kvstore.client.error.KVClientException}. Close it at the end.
 */
public interface KVClient extends AutoCloseable {

    /**
     * A client of a server. Connections are made when calls need them.
     *
     * @param url {@code kvstore://[TOKEN@]HOST[:PORT][?PARAMETERS]}, or {@code kvstores://} for TLS; see
     *     {@link ClientOptions#parse}
     */
    static KVClient connect(String url) {
        return connect(ClientOptions.parse(url));
    }

    /** A client of a server. Connections are made when calls need them. */
    static KVClient connect(ClientOptions options) {
        return new ThriftClient(options);
    }

    /** Returns if the server answers. */
    void ping();

    /** What the server is and what it accepts. */
    ServerDescription serverInfo();

    /** The databases, sorted. */
    List<String> databases();

    /** Creates a database; false when it was there. */
    boolean createDatabase(String database);

    /** Drops a database without tables. */
    void dropDatabase(String database);

    /** The tables of a database, sorted. */
    List<String> tables(String database);

    /** Creates a table with the engine's defaults, or describes it when it is there with this engine. */
    default TableDescription createTable(String database, String table, String engine) {
        return createTable(database, table, engine, Map.of());
    }

    /**
     * Creates a table, or describes it when it is there with this engine and each option given.
     *
     * @param engine "bplus" or "lsm"
     * @param options those of the engine, such as MEM_CACHE_SIZE, or of any table, such as DURABILITY
     * @throws io.kvstore.client.error.AlreadyExistsException if it is there with another definition
     */
    TableDescription createTable(String database, String table, String engine, Map<String, String> options);

    /** Removes a table and its data. */
    void dropTable(String database, String table);

    /** The handle of a table, whether it exists or not; makes no call. */
    ClientTable table(String database, String table);

    /** Applies a batch with the durability of its tables; see {@link #write(ClientBatch, ClientDurability)}. */
    default long write(ClientBatch batch) {
        return write(batch, ClientDurability.TABLE_DEFAULT);
    }

    /**
     * Applies a batch, whole or not at all. An empty batch does nothing.
     *
     * @return its place in the store's log, which grows with each batch; 0 for an empty one
     * @throws io.kvstore.client.error.ConditionFailedException if a check does not hold; nothing was applied
     */
    long write(ClientBatch batch, ClientDurability durability);

    /** All tables as they are now, with the server's lease of 60 s. Close it. */
    default ClientSnapshot snapshot() {
        return snapshot(0);
    }

    /**
     * All tables as they are now. Close it.
     *
     * @param leaseMillis how long it lives after its last use, 1,000 to 3,600,000; 0 for the server's 60,000
     */
    ClientSnapshot snapshot(int leaseMillis);

    /** Figures of the store. */
    Statistics stats();

    /** Starts a checkpoint of the store and does not wait for it. */
    OperationResult startCheckpoint();

    /** Makes a checkpoint of the store and waits for it. */
    default OperationResult checkpoint() {
        return awaitOperation(startCheckpoint().id());
    }

    /** How far an operation is. */
    OperationResult operation(long id);

    /** Operations that run and those that ended lately, oldest first. */
    List<OperationResult> operations();

    /**
     * Waits for the end of an operation, without a time limit. A thread that is interrupted stops waiting, and the operation
     * goes on.
     *
     * @throws io.kvstore.client.error.KVClientException if it failed, with the cause
     */
    OperationResult awaitOperation(long id);

    /** Asks an OPTIMIZE to stop at its next safe point. Others run to their end. */
    OperationResult cancelOperation(long id);

    /** Ends all connections and snapshots. Calls under way are finished; later ones fail. Closing again does nothing. */
    @Override
    void close();
}
