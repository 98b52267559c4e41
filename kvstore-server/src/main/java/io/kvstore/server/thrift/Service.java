package io.kvstore.server.thrift;

import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Merge;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.server.edge.TableDefinition;
import io.kvstore.server.edge.TableDescription;
import io.kvstore.server.edge.Tables;
import io.kvstore.thrift.Backup;
import io.kvstore.thrift.Batch;
import io.kvstore.thrift.Condition;
import io.kvstore.thrift.ConditionFailed;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.Operation;
import io.kvstore.thrift.OperationRequest;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.ServerInfo;
import io.kvstore.thrift.ServiceError;
import io.kvstore.thrift.SnapshotLease;
import io.kvstore.thrift.Stats;
import io.kvstore.thrift.TableInfo;
import io.kvstore.thrift.TableName;
import io.kvstore.thrift.WriteOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The service as one connection sees it. Checks that the client may call, and turns failures into errors for the client. Other
 * objects do the work. Used by the connection's thread only.
 */
final class Service implements KVStoreService.Iface {

    private final Shared shared;
    private final Session session;
    private final Reads.Room room;
    private final ScanPages pages;

    /**
     * Creates the service for one connection.
     *
     * @param room takes the memory of answers
     * @param pages answers scans
     */
    Service(Shared shared, Session session, Reads.Room room, ScanPages pages) {
        this.shared = shared;
        this.session = session;
        this.room = room;
        this.pages = pages;
    }

    /** The work of a call. Any failure becomes an error that the client understands. */
    @FunctionalInterface
    private interface Work<T> {
        T run() throws ConditionFailedException;
    }

    private <T> T answer(Work<T> work) throws ServiceError {
        try {
            session.checkAllowed();
            return work.run();
        } catch (Throwable e) {
            throw Errors.of(e);
        }
    }

    private void perform(Runnable work) throws ServiceError {
        answer(() -> {
            work.run();
            return Boolean.TRUE;
        });
    }

    @Override
    public void ping() {
        // The empty answer tells the client that the server is there.
    }

    @Override
    public void authenticate(@Nullable String token) throws ServiceError {
        try {
            session.authenticate(Requests.need(token, "the token"));
        } catch (Throwable e) {
            throw Errors.of(e);
        }
    }

    @Override
    public ServerInfo serverInfo() throws ServiceError {
        return answer(() -> {
            KVStoreOptions options = shared.edge().store().options();
            return new ServerInfo(
                    shared.edge().version(),
                    shared.edge().store().engines().stream().map(Service::lower).toList(),
                    lower(options.durability().name()),
                    KeyOrder.MAX_KEY_BYTES,
                    options.maxValueBytes(),
                    shared.maxFrameBytes(),
                    Limits.ITEMS);
        });
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    @Override
    public List<String> databases() throws ServiceError {
        return answer(() -> shared.edge().store().databases());
    }

    @Override
    public boolean createDatabase(@Nullable String database) throws ServiceError {
        return answer(() -> shared.edge().tables().createDatabase(name(database)));
    }

    @Override
    public void dropDatabase(@Nullable String database) throws ServiceError {
        perform(() -> shared.edge().tables().dropDatabase(name(database)));
    }

    @Override
    public List<String> tables(@Nullable String database) throws ServiceError {
        return answer(() -> shared.edge().tables().in(name(database)));
    }

    private static String name(@Nullable String database) {
        return Requests.need(database, "the database");
    }

    @Override
    public TableInfo createTable(
            @Nullable TableName table, @Nullable String engine, @Nullable Map<String, String> options)
            throws ServiceError {
        return answer(() -> {
            TableName name = Requests.need(table, "the table");
            TableDefinition definition =
                    new TableDefinition(Requests.need(engine, "the engine"), options == null ? Map.of() : options);
            return info(shared.edge()
                    .tables()
                    .create(name(name.getDatabase()), Requests.need(name.getTable(), "the table"), definition)
                    .table());
        });
    }

    @Override
    public TableInfo describeTable(@Nullable TableName table) throws ServiceError {
        return answer(() -> info(shared.reads().table(table)));
    }

    private static TableInfo info(Table table) {
        TableDescription description = TableDescription.of(table);
        Map<String, String> options = new HashMap<>();
        description.options().forEach((name, value) -> options.put(name, value.toString()));
        return new TableInfo(
                        description.database(), description.name(), description.id(), description.engine(), options)
                .setOrdered(description.ordered());
    }

    @Override
    public void dropTable(@Nullable TableName table) throws ServiceError {
        perform(() -> {
            Table known = shared.reads().table(table);
            shared.edge().tables().drop(known.database(), known.name());
        });
    }

    @Override
    public void truncateTable(@Nullable TableName table) throws ServiceError {
        perform(() -> shared.reads().table(table).truncate());
    }

    @Override
    public GetResult get(@Nullable TableName table, @Nullable ByteBuffer key, @Nullable ReadOptions options)
            throws ServiceError {
        return answer(() -> shared.reads().get(shared.reads().table(table), Requests.key(key), options, room));
    }

    @Override
    public List<GetResult> multiGet(
            @Nullable TableName table, @Nullable List<ByteBuffer> keys, @Nullable ReadOptions options)
            throws ServiceError {
        return answer(() -> {
            List<ByteBuffer> given = Requests.need(keys, "keys");
            List<byte[]> wanted = new ArrayList<>(given.size());
            given.forEach(key -> wanted.add(Requests.key(key)));
            return shared.reads().multiGet(shared.reads().table(table), wanted, options, room);
        });
    }

    @Override
    public boolean contains(@Nullable TableName table, @Nullable ByteBuffer key, @Nullable ReadOptions options)
            throws ServiceError {
        return answer(() -> shared.reads().contains(shared.reads().table(table), Requests.key(key), options));
    }

    @Override
    public void put(
            @Nullable TableName table,
            @Nullable ByteBuffer key,
            @Nullable ByteBuffer value,
            @Nullable WriteOptions options)
            throws ServiceError {
        perform(() -> {
            Table known = shared.reads().table(table);
            known.put(Requests.key(key), Writes.value(known, value), Requests.durability(options));
        });
    }

    @Override
    public void remove(@Nullable TableName table, @Nullable ByteBuffer key, @Nullable WriteOptions options)
            throws ServiceError {
        perform(() -> shared.reads().table(table).remove(Requests.key(key), Requests.durability(options)));
    }

    @Override
    public boolean putIf(
            @Nullable TableName table,
            @Nullable ByteBuffer key,
            @Nullable ByteBuffer value,
            @Nullable Condition condition,
            @Nullable WriteOptions options)
            throws ServiceError {
        return answer(() -> {
            Table known = shared.reads().table(table);
            byte[] bytes = Requests.key(key);
            return known.putIf(
                    Requests.condition(bytes, condition),
                    bytes,
                    Writes.value(known, value),
                    Requests.durability(options));
        });
    }

    @Override
    public boolean removeIf(
            @Nullable TableName table,
            @Nullable ByteBuffer key,
            @Nullable Condition condition,
            @Nullable WriteOptions options)
            throws ServiceError {
        return answer(() -> {
            byte[] bytes = Requests.key(key);
            return shared.reads()
                    .table(table)
                    .removeIf(Requests.condition(bytes, condition), bytes, Requests.durability(options));
        });
    }

    @Override
    public long add(@Nullable TableName table, @Nullable ByteBuffer key, long delta, @Nullable WriteOptions options)
            throws ServiceError {
        return answer(() -> {
            Table known = shared.reads().table(table);
            Merge.Add add = new Merge.Add(Requests.key(key), delta);
            return add.numberOf(known.merge(add, Requests.durability(options)));
        });
    }

    @Override
    public int append(
            @Nullable TableName table,
            @Nullable ByteBuffer key,
            @Nullable ByteBuffer suffix,
            @Nullable WriteOptions options)
            throws ServiceError {
        return answer(() -> {
            Table known = shared.reads().table(table);
            Merge append = new Merge.Append(Requests.key(key), Writes.part(known, suffix, "the suffix"));
            return known.merge(append, Requests.durability(options)).length;
        });
    }

    @Override
    public int patch(
            @Nullable TableName table,
            @Nullable ByteBuffer key,
            int offset,
            @Nullable ByteBuffer part,
            @Nullable WriteOptions options)
            throws ServiceError {
        return answer(() -> {
            Table known = shared.reads().table(table);
            Merge patch = new Merge.Patch(Requests.key(key), offset, Writes.part(known, part, "the part"));
            return known.merge(patch, Requests.durability(options)).length;
        });
    }

    @Override
    public GetResult getAndPut(
            @Nullable TableName table,
            @Nullable ByteBuffer key,
            @Nullable ByteBuffer value,
            @Nullable WriteOptions options)
            throws ServiceError {
        return answer(() -> {
            Table known = shared.reads().table(table);
            byte[] wanted = Requests.key(key);
            byte[] bytes = Writes.value(known, value);
            Durability durability = Requests.durability(options);
            return shared.writes().exchange(known, wanted, bytes, durability, room);
        });
    }

    @Override
    public GetResult getAndRemove(@Nullable TableName table, @Nullable ByteBuffer key, @Nullable WriteOptions options)
            throws ServiceError {
        return answer(() -> {
            Table known = shared.reads().table(table);
            byte[] wanted = Requests.key(key);
            Durability durability = Requests.durability(options);
            return shared.writes().exchange(known, wanted, null, durability, room);
        });
    }

    @Override
    public long write(@Nullable Batch batch, @Nullable WriteOptions options) throws ServiceError, ConditionFailed {
        return write(batch, options, false);
    }

    @Override
    public long writeMerges(@Nullable Batch batch, @Nullable WriteOptions options)
            throws ServiceError, ConditionFailed {
        return write(batch, options, true);
    }

    private long write(@Nullable Batch batch, @Nullable WriteOptions options, boolean takesMerges)
            throws ServiceError, ConditionFailed {
        try {
            session.checkAllowed();
            return shared.writes().write(batch, takesMerges, Requests.durability(options));
        } catch (ConditionFailedException e) {
            throw new ConditionFailed(e.index()).setMessage(e.getMessage());
        } catch (Throwable e) {
            throw Errors.of(e);
        }
    }

    @Override
    public ScanPage scan(@Nullable ScanRequest request) throws ServiceError {
        return answer(() -> pages.page(Requests.need(request, "the request")));
    }

    @Override
    public long countKeys(
            @Nullable TableName table, io.kvstore.thrift.@Nullable KeyRange range, @Nullable ReadOptions options)
            throws ServiceError {
        return answer(() -> {
            KeyRange keys = Requests.range(range);
            return shared.reads().count(shared.reads().table(table), keys, options);
        });
    }

    @Override
    public SnapshotLease openSnapshot(int leaseMillis) throws ServiceError {
        return answer(() -> {
            int granted = leaseMillis == 0
                    ? Limits.LEASE_MILLIS_DEFAULT
                    : Requests.within(leaseMillis, Limits.LEASE_MILLIS_MIN, Limits.LEASE_MILLIS_MAX, "lease_millis");
            return new SnapshotLease(shared.leases().open(session, granted), granted);
        });
    }

    @Override
    public void closeSnapshot(long snapshotId) throws ServiceError {
        perform(() -> {
            session.snapshotIds().remove(snapshotId);
            shared.leases().close(snapshotId);
        });
    }

    @Override
    public Stats tableStats(@Nullable TableName table) throws ServiceError {
        return answer(() -> Figures.of(shared.reads().table(table).stats()));
    }

    @Override
    public Stats storeStats() throws ServiceError {
        return answer(() -> Figures.of(shared.edge().store().stats()));
    }

    @Override
    public Operation startOperation(@Nullable OperationRequest request) throws ServiceError {
        return answer(() -> Operations.of(shared.edge().jobs().start(Operations.request(request))));
    }

    @Override
    public Operation operation(long operationId) throws ServiceError {
        return answer(() -> Operations.of(shared.edge().jobs().get(operationId)));
    }

    @Override
    public List<Operation> operations() throws ServiceError {
        return answer(
                () -> shared.edge().jobs().all().stream().map(Operations::of).toList());
    }

    @Override
    public Operation cancelOperation(long operationId) throws ServiceError {
        return answer(() -> Operations.of(shared.edge().jobs().cancel(operationId)));
    }

    @Override
    public TableInfo renameTable(@Nullable TableName table, @Nullable String name) throws ServiceError {
        return answer(() -> {
            TableName known = Requests.need(table, "the table");
            return info(shared.edge()
                    .tables()
                    .rename(
                            name(known.getDatabase()),
                            Requests.need(known.getTable(), "the table"),
                            Requests.need(name, "the new name")));
        });
    }

    @Override
    public TableInfo alterTable(@Nullable TableName table, @Nullable Map<String, String> options) throws ServiceError {
        return answer(() -> {
            Table known = shared.reads().table(table);
            Tables.alter(known, Requests.need(options, "the options"));
            return info(known);
        });
    }

    @Override
    public List<Backup> backups() throws ServiceError {
        return answer(() ->
                shared.edge().backups().list().stream().map(Operations::of).toList());
    }

    @Override
    public void deleteBackup(long backupId) throws ServiceError {
        perform(() -> shared.edge().backups().delete(backupId));
    }
}
