package io.kvstore.client;

import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationRequest;
import io.kvstore.thrift.Restore;
import io.kvstore.thrift.TableName;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A client that talks to a server over the network. */
final class ThriftClient implements KVClient {

    private final PooledCalls calls;
    private final Operations operations;

    ThriftClient(ClientOptions options) {
        this.calls = new PooledCalls(options);
        this.operations = new Operations(calls);
    }

    @Override
    public void ping() {
        VoidCall ping = KVStoreService.Iface::ping;
        calls.read(ping.asCall());
    }

    @Override
    public ServerDescription serverInfo() {
        return Answers.server(calls.read(KVStoreService.Iface::serverInfo));
    }

    @Override
    public List<String> databases() {
        return calls.read(KVStoreService.Iface::databases);
    }

    @Override
    public boolean createDatabase(String database) {
        return calls.write(service -> service.createDatabase(database));
    }

    @Override
    public void dropDatabase(String database) {
        calls.writeVoid(service -> service.dropDatabase(database));
    }

    @Override
    public List<String> tables(String database) {
        return calls.read(service -> service.tables(database));
    }

    @Override
    public TableDescription createTable(String database, String table, String engine, Map<String, String> options) {
        TableName name = new TableName(database, table);
        return Answers.table(calls.write(service -> service.createTable(name, engine, options)));
    }

    @Override
    public TableDescription renameTable(String database, String table, String newName) {
        TableName name = new TableName(database, table);
        return Answers.table(calls.write(service -> service.renameTable(name, newName)));
    }

    @Override
    public void dropTable(String database, String table) {
        TableName name = new TableName(database, table);
        calls.writeVoid(service -> service.dropTable(name));
    }

    @Override
    public ClientTable table(String database, String table) {
        ThriftReader reader = new ThriftReader(calls, database, table, null);
        return new ThriftTable(calls, reader, ClientDurability.TABLE_DEFAULT);
    }

    @Override
    public long write(ClientBatch batch, ClientDurability durability) {
        if (batch.changes().isEmpty() && batch.checks().isEmpty()) {
            return 0;
        }
        if (batch.changes().stream().anyMatch(change -> change.merge() != null)) {
            // a server without merges would take one for a removal; it does not know the method
            return calls.write(service -> service.writeMerges(Wire.batch(batch), Wire.options(durability)));
        }
        return calls.write(service -> service.write(Wire.batch(batch), Wire.options(durability)));
    }

    @Override
    public ClientSnapshot snapshot(int leaseMillis) {
        return calls.snapshot(leaseMillis);
    }

    @Override
    public Statistics stats() {
        return Answers.statistics(calls.read(KVStoreService.Iface::storeStats));
    }

    @Override
    public OperationResult startCheckpoint() {
        return operations.start(new OperationRequest(OperationKind.CHECKPOINT));
    }

    @Override
    public List<ClientBackup> backups() {
        return calls.read(KVStoreService.Iface::backups).stream()
                .map(Answers::backup)
                .toList();
    }

    @Override
    public void deleteBackup(long id) {
        calls.writeVoid(service -> service.deleteBackup(id));
    }

    @Override
    public OperationResult startBackup() {
        return operations.start(new OperationRequest(OperationKind.BACKUP));
    }

    @Override
    public OperationResult startVerifyBackups() {
        return operations.start(new OperationRequest(OperationKind.VERIFY_BACKUPS));
    }

    @Override
    public OperationResult startRestore(ClientRestore restore) {
        return operations.start(new OperationRequest(OperationKind.RESTORE)
                .setRestore(new Restore(restore.backup(), restore.database(), restore.restoredAs())));
    }

    @Override
    public OperationResult operation(long id) {
        return operations.get(id);
    }

    @Override
    public List<OperationResult> operations() {
        return calls.read(KVStoreService.Iface::operations).stream()
                .map(Answers::operation)
                .toList();
    }

    @Override
    public OperationResult awaitOperation(long id) {
        return operations.await(id);
    }

    @Override
    public OperationResult awaitOperation(long id, Consumer<? super OperationResult> watcher) {
        return operations.await(id, watcher);
    }

    @Override
    public OperationResult cancelOperation(long id) {
        return Answers.operation(calls.write(service -> service.cancelOperation(id)));
    }

    @Override
    public void close() {
        calls.close();
    }
}
