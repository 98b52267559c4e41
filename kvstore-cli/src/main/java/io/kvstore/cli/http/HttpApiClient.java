package io.kvstore.cli.http;

import io.kvstore.client.ClientBackup;
import io.kvstore.client.ClientBatch;
import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientOptions;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
import io.kvstore.client.OperationResult;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.ServerDescription;
import io.kvstore.client.Statistics;
import io.kvstore.client.TableDescription;
import io.kvstore.client.error.KVClientException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A client of a server over its HTTP API. It answers as one over Thrift does, with these differences. There are no snapshots
 * and no conditions on values: such a call is refused, and nothing is sent. Answers have at most 64 MiB, but for streams of
 * entries. Safe for several threads.
 */
public final class HttpApiClient implements KVClient {

    private final Exchange exchange;
    private final Jobs jobs;

    private HttpApiClient(ClientOptions options) {
        this.exchange = new Exchange(options);
        this.jobs = new Jobs(exchange);
    }

    /**
     * A client of the server at an address. It connects when it is first used.
     *
     * @param options {@code pool} and {@code maxFrameBytes} have no meaning here
     */
    public static HttpApiClient of(ClientOptions options) {
        return new HttpApiClient(options);
    }

    /** Asks for the server's description, which needs a token where the server has tokens. Its health needs none. */
    @Override
    public void ping() {
        exchange.send(Call.read(Paths.ROOT));
    }

    @Override
    public ServerDescription serverInfo() {
        return Descriptions.server(exchange.send(Call.read(Paths.ROOT)).json());
    }

    @Override
    public List<String> databases() {
        return Descriptions.names(exchange.send(Call.read(Paths.databases())).json(), "databases");
    }

    @Override
    public boolean createDatabase(String database) {
        Answer answer = exchange.send(Call.write("PUT", Paths.database(database), null));
        Answer.field(answer.json(), "name");
        return answer.status() == Answer.CREATED;
    }

    @Override
    public void dropDatabase(String database) {
        exchange.send(Call.write("DELETE", Paths.database(database), null)).requireNoContent();
    }

    @Override
    public List<String> tables(String database) {
        String path = Paths.database(database) + "/tables";
        return Descriptions.names(exchange.send(Call.read(path)).json(), "tables");
    }

    @Override
    public TableDescription createTable(String database, String table, String engine, Map<String, String> options) {
        byte[] definition = Documents.definition(engine, options);
        return Descriptions.table(exchange.send(Call.write("PUT", Paths.table(database, table), definition))
                .json());
    }

    @Override
    public TableDescription renameTable(String database, String table, String newName) {
        Call call = Call.write("POST", Paths.table(database, table) + ":rename", Documents.name(newName));
        return Descriptions.table(exchange.send(call).json());
    }

    @Override
    public void dropTable(String database, String table) {
        exchange.send(Call.write("DELETE", Paths.table(database, table) + Paths.confirmed(table), null))
                .requireNoContent();
    }

    @Override
    public ClientTable table(String database, String table) {
        return new HttpTable(exchange, jobs, database, table, ClientDurability.TABLE_DEFAULT);
    }

    @Override
    public long write(ClientBatch batch, ClientDurability durability) {
        if (batch.changes().isEmpty() && batch.checks().isEmpty()) {
            return 0;
        }
        byte[] document = Documents.batch(batch, durability);
        Answer answer = exchange.send(Call.write("POST", Paths.database(batch.database()) + "/batch", document));
        return Answer.field(answer.json(), "sequence").asLong();
    }

    @Override
    public ClientSnapshot snapshot(int leaseMillis) {
        throw KVClientException.invalid(
                "the HTTP API has no snapshots, which this needs to see the store at one moment; give a thrift:// URL");
    }

    /**
     * The entries of a table at one moment, as lines of JSON. The reader closes it.
     *
     * @param options a range and a limit
     * @param encoding of keys and values
     * @param whileWaiting called while bytes are waited for; it may throw to end the wait
     */
    public EntryStream entries(
            String database, String table, ScanOptions options, StreamEncoding encoding, Runnable whileWaiting) {
        Call call = Call.read(Paths.stream(Paths.table(database, table), options, encoding));
        return new EntryStream(exchange.open(call, "application/x-ndjson", whileWaiting));
    }

    @Override
    public Statistics stats() {
        return Descriptions.statistics(
                exchange.send(Call.read(Paths.ROOT + "/stats")).json());
    }

    @Override
    public List<ClientBackup> backups() {
        return jobs.backups();
    }

    @Override
    public void deleteBackup(long id) {
        jobs.deleteBackup(id);
    }

    @Override
    public OperationResult startBackup() {
        return jobs.start(OperationResult.Kind.BACKUP);
    }

    @Override
    public OperationResult startVerifyBackups() {
        return jobs.start(OperationResult.Kind.VERIFY_BACKUPS);
    }

    @Override
    public OperationResult startRestore(ClientRestore restore) {
        return jobs.start(restore);
    }

    @Override
    public OperationResult startCheckpoint() {
        return jobs.start(OperationResult.Kind.CHECKPOINT);
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
        return awaitOperation(id, _ -> {});
    }

    @Override
    public OperationResult awaitOperation(long id, Consumer<? super OperationResult> watcher) {
        return jobs.await(id, watcher);
    }

    @Override
    public OperationResult cancelOperation(long id) {
        return jobs.cancel(id);
    }

    @Override
    public void close() {
        exchange.close();
    }
}
