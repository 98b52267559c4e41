package io.kvstore.client.embedded;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.client.ClientBackup;
import io.kvstore.client.ClientBatch;
import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
import io.kvstore.client.OperationResult;
import io.kvstore.client.ServerDescription;
import io.kvstore.client.Statistics;
import io.kvstore.client.TableDescription;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.data.KeyOrder;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.NotFoundException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client of a store in the same process. With it, tests of a program that uses {@link KVClient} need no server. It answers as
 * a server does, with three differences. There are no frames, so only the table's limit bounds a value. A snapshot has no
 * lease: it lives until it, the client or the store is closed. An operation has ended when the call that starts it returns.
 * Safe for several threads.
 */
public final class EmbeddedClient implements KVClient {

    private final Access access;
    private final Jobs jobs;

    private EmbeddedClient(KVStore store, @Nullable Path backups) {
        this.access = new Access(store);
        this.jobs = new Jobs(access, new BackupDirectory(access, backups));
    }

    /** A client of an open store, which makes no backups. Closing the client does not close the store. */
    public static EmbeddedClient over(KVStore store) {
        return new EmbeddedClient(store, null);
    }

    /**
     * A client of an open store. Closing the client does not close the store.
     *
     * @param backups the directory for backups, as a server has one; made by the first backup
     */
    public static EmbeddedClient over(KVStore store, Path backups) {
        return new EmbeddedClient(store, backups);
    }

    @Override
    public void ping() {
        access.run(access.store()::engines);
    }

    @Override
    public ServerDescription serverInfo() {
        KVStore store = access.store();
        return access.call(() -> new ServerDescription(
                "embedded",
                store.engines().stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .toList(),
                store.options().durability().name().toLowerCase(Locale.ROOT),
                KeyOrder.MAX_KEY_BYTES,
                store.options().maxValueBytes(),
                Integer.MAX_VALUE,
                Integer.MAX_VALUE));
    }

    @Override
    public List<String> databases() {
        return access.call(access.store()::databases);
    }

    @Override
    public boolean createDatabase(String database) {
        return access.call(() -> {
            try {
                access.store().createDB(database);
                return true;
            } catch (AlreadyExistsException e) {
                return false;
            }
        });
    }

    @Override
    public void dropDatabase(String database) {
        access.run(() -> {
            try {
                access.store().dropDB(database);
            } catch (NotFoundException e) {
                throw Failures.as(ErrorCode.DATABASE_NOT_FOUND, e);
            } catch (AlreadyExistsException e) {
                throw Failures.as(ErrorCode.DATABASE_NOT_EMPTY, e);
            }
        });
    }

    @Override
    public List<String> tables(String database) {
        return access.call(() -> {
            try {
                return access.store().tables(database);
            } catch (NotFoundException e) {
                throw Failures.as(ErrorCode.DATABASE_NOT_FOUND, e);
            }
        });
    }

    @Override
    public TableDescription createTable(String database, String table, String engine, Map<String, String> options) {
        Definition definition = new Definition(engine, options);
        return access.call(() -> {
            try {
                return Definition.describe(
                        access.store().createTable(database, table, engine, definition.asProperties()));
            } catch (NotFoundException e) {
                throw access.notFound(database, e);
            } catch (AlreadyExistsException e) {
                Table existing = access.table(database, table);
                if (definition.isThatOf(existing)) {
                    return Definition.describe(existing);
                }
                throw Failures.as(ErrorCode.DEFINITION_DIFFERS, e);
            }
        });
    }

    @Override
    public TableDescription renameTable(String database, String table, String newName) {
        return access.call(() -> {
            try {
                return Definition.describe(access.store().renameTable(database, table, newName));
            } catch (NotFoundException e) {
                throw access.notFound(database, e);
            }
        });
    }

    @Override
    public void dropTable(String database, String table) {
        access.run(() -> {
            try {
                access.store().dropTable(database, table);
            } catch (NotFoundException e) {
                throw access.notFound(database, e);
            }
        });
    }

    @Override
    public ClientTable table(String database, String table) {
        return new EmbeddedTable(jobs, new EmbeddedReader(access, database, table), ClientDurability.TABLE_DEFAULT);
    }

    @Override
    public long write(ClientBatch batch, ClientDurability durability) {
        return access.call(() -> Writes.write(access, batch, durability));
    }

    @Override
    public ClientSnapshot snapshot(int leaseMillis) {
        return EmbeddedSnapshot.open(access, leaseMillis);
    }

    @Override
    public Statistics stats() {
        return access.call(() -> Figures.of(access.store().stats()));
    }

    @Override
    public OperationResult startCheckpoint() {
        return jobs.runCheckpoint();
    }

    @Override
    public List<ClientBackup> backups() {
        return jobs.backups().list();
    }

    @Override
    public void deleteBackup(long id) {
        jobs.backups().delete(id);
    }

    @Override
    public OperationResult startBackup() {
        return jobs.runBackup();
    }

    @Override
    public OperationResult startVerifyBackups() {
        return jobs.runVerifyBackups();
    }

    @Override
    public OperationResult startRestore(ClientRestore restore) {
        return jobs.runRestore(restore);
    }

    @Override
    public OperationResult operation(long id) {
        return jobs.get(id);
    }

    @Override
    public List<OperationResult> operations() {
        return jobs.all();
    }

    @Override
    public OperationResult awaitOperation(long id) {
        return Jobs.ended(jobs.get(id));
    }

    @Override
    public OperationResult awaitOperation(long id, Consumer<? super OperationResult> watcher) {
        OperationResult operation = jobs.get(id);
        watcher.accept(operation);
        return Jobs.ended(operation);
    }

    @Override
    public OperationResult cancelOperation(long id) {
        return jobs.get(id);
    }

    /** Ends the client and its snapshots. The store stays open. */
    @Override
    public void close() {
        access.close();
    }
}
