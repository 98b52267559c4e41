package io.kvstore.client;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A key-value store. It has databases, and a database has tables. A table is an ordered map from byte strings to byte strings.
 * {@link #connect} makes a client that talks to a server. {@code EmbeddedClient} of kvstore-client-embedded is a client of a
 * store in the same process.
 *
 * <p>Safe for several threads. Every failure is reported as a {@link io.kvstore.client.error.KVClientException}. Close a client
 * that is no longer needed.
 */
public interface KVClient extends AutoCloseable {

    /**
     * A client of a server. It makes connections when calls need them, so this does not fail if no server is there.
     *
     * @param url {@code kvstore://[TOKEN@]HOST[:PORT][?PARAMETERS]}, or {@code kvstores://} for TLS; see
     *     {@link ClientOptions#parse}
     * @throws io.kvstore.client.error.InvalidRequestException if the URL has another form
     */
    static KVClient connect(String url) {
        return connect(ClientOptions.parse(url));
    }

    /** A client of a server. It makes connections when calls need them, so this does not fail if no server is there. */
    static KVClient connect(ClientOptions options) {
        return new ThriftClient(options);
    }

    /** Returns normally if the server answers. */
    void ping();

    /** The server's version, engines and limits. */
    ServerDescription serverInfo();

    /** The names of the databases, sorted. */
    List<String> databases();

    /** Creates a database. Returns false, and changes nothing, if the database exists. */
    boolean createDatabase(String database);

    /**
     * Drops a database that has no tables.
     *
     * @throws io.kvstore.client.error.NotFoundException if there is no such database
     * @throws io.kvstore.client.error.KVClientException with code DATABASE_NOT_EMPTY if the database has tables
     */
    void dropDatabase(String database);

    /**
     * The names of the tables of a database, sorted.
     *
     * @throws io.kvstore.client.error.NotFoundException if there is no such database
     */
    List<String> tables(String database);

    /** Creates a table with the engine's defaults; see {@link #createTable(String, String, String, Map)}. */
    default TableDescription createTable(String database, String table, String engine) {
        return createTable(database, table, engine, Map.of());
    }

    /**
     * Creates a table and describes it. A table that exists with this engine and with all given options is described only.
     *
     * @param engine "bplus", "hash" or "lsm"
     * @param options options of the engine, such as MEM_CACHE_SIZE, and options of any table, such as DURABILITY
     * @throws io.kvstore.client.error.AlreadyExistsException if the table exists with another engine or other options
     * @throws io.kvstore.client.error.NotFoundException if there is no such database
     */
    TableDescription createTable(String database, String table, String engine, Map<String, String> options);

    /**
     * Gives a table another name in its database, and describes it. Readers and writers of the server go on. A handle is by
     * name, so one by the old name finds no table afterwards. To give the name that the table has changes nothing.
     *
     * @throws io.kvstore.client.error.NotFoundException if there is no such table
     * @throws io.kvstore.client.error.AlreadyExistsException if another table has the new name
     * @throws io.kvstore.client.error.InvalidRequestException if the new name is not one of a table
     */
    TableDescription renameTable(String database, String table, String newName);

    /**
     * Removes a table and its data.
     *
     * @throws io.kvstore.client.error.NotFoundException if there is no such table
     */
    void dropTable(String database, String table);

    /** The handle of a table. This makes no call, and the table need not exist. */
    ClientTable table(String database, String table);

    /** Applies a batch with the durability of its tables; see {@link #write(ClientBatch, ClientDurability)}. */
    default long write(ClientBatch batch) {
        return write(batch, ClientDurability.TABLE_DEFAULT);
    }

    /**
     * Applies a batch as a whole or not at all. An empty batch does nothing.
     *
     * @return the place of the batch in the store's log, or 0 for an empty batch; a later batch has a higher place
     * @throws io.kvstore.client.error.ConditionFailedException if a check does not hold; nothing was applied
     * @throws io.kvstore.client.error.InvalidRequestException if the batch has checks and no change
     * @throws io.kvstore.client.error.OutcomeUnknownException if the batch may or may not have been applied
     */
    long write(ClientBatch batch, ClientDurability durability);

    /** A view of all tables as they are now, with a lease of 60 s. Close it. */
    default ClientSnapshot snapshot() {
        return snapshot(0);
    }

    /**
     * A view of all tables as they are now. Close it.
     *
     * @param leaseMillis how long the snapshot lives after its last use, 1,000 to 3,600,000; 0 for 60,000
     * @throws io.kvstore.client.error.InvalidRequestException if the lease is out of its range
     */
    ClientSnapshot snapshot(int leaseMillis);

    /** The statistics of the store. */
    Statistics stats();

    /** Starts a checkpoint of the store and does not wait for its end. */
    OperationResult startCheckpoint();

    /** Makes a checkpoint of the store and waits for its end, as {@link #awaitOperation} does. */
    default OperationResult checkpoint() {
        return awaitOperation(startCheckpoint().id());
    }

    /**
     * The backups in the server's directory for backups, oldest first.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the server has no such directory
     */
    List<ClientBackup> backups();

    /**
     * Deletes a backup. Parts that others need stay.
     *
     * @throws io.kvstore.client.error.NotFoundException if there is no such backup
     * @throws io.kvstore.client.error.UnavailableException if an operation uses the directory for backups
     * @throws io.kvstore.client.error.InvalidRequestException if the server has no directory for backups
     */
    void deleteBackup(long id);

    /**
     * Starts a backup of the store in the server's directory for backups, and does not wait for its end. The operation that is
     * done has the backup. Of operations that use the directory for backups the server runs one at a time.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the server has no directory for backups
     * @throws io.kvstore.client.error.UnavailableException if another operation uses that directory
     */
    OperationResult startBackup();

    /**
     * Starts to read every byte of all backups, and does not wait for the end. The operation that is done has the damaged
     * places. Throws as {@link #startBackup}.
     */
    OperationResult startVerifyBackups();

    /**
     * Starts to make a database of one that a backup has, and does not wait for the end. The database is there with all of its
     * tables when the operation is done, and nobody sees a part of it before. An operation that failed or was cancelled leaves
     * nothing. A missing backup or database, and a name that is taken, are errors of the operation. Throws as
     * {@link #startBackup}.
     */
    OperationResult startRestore(ClientRestore restore);

    /**
     * The present state of an operation.
     *
     * @throws io.kvstore.client.error.NotFoundException if there is no such operation, or if the server has forgotten it
     */
    OperationResult operation(long id);

    /** The operations that run and the last ones that ended, oldest first. */
    List<OperationResult> operations();

    /**
     * Waits for the end of an operation, without a time limit. The operation may have been cancelled. A thread that is
     * interrupted stops waiting with code INTERRUPTED, and the operation goes on.
     *
     * @throws io.kvstore.client.error.NotFoundException if there is no such operation, or if the server has forgotten it
     * @throws io.kvstore.client.error.KVClientException if the operation failed; this is its error
     */
    OperationResult awaitOperation(long id);

    /**
     * Waits for the end of an operation, as {@link #awaitOperation(long)}.
     *
     * @param watcher gets each state that was asked for, also the last one. If it throws, nobody waits any more, and the
     *     operation goes on
     */
    OperationResult awaitOperation(long id, Consumer<? super OperationResult> watcher);

    /**
     * Asks an OPTIMIZE, BACKUP, VERIFY_BACKUPS or RESTORE to stop at its next safe point. A backup or restore that stopped
     * leaves nothing. An operation that has ended stays as it is.
     *
     * @throws io.kvstore.client.error.NotFoundException if there is no such operation, or if the server has forgotten it
     * @throws io.kvstore.client.error.InvalidRequestException if the operation runs and is of another kind, which runs to its
     *     end
     */
    OperationResult cancelOperation(long id);

    /**
     * Closes the connections and ends the snapshots. A call under way goes on, unless it reads from a snapshot. Later calls
     * fail with {@link io.kvstore.client.error.ConnectionFailedException}. Closing again does nothing.
     */
    @Override
    void close();
}
