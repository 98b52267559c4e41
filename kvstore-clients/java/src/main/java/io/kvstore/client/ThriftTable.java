package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationRequest;
import io.kvstore.thrift.TableName;
import io.kvstore.thrift.WriteOptions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handle of a table of a server. */
final class ThriftTable implements ClientTable {

    private final PooledCalls calls;
    private final Operations operations;
    private final ThriftReader reader;
    private final ClientDurability durability;

    ThriftTable(PooledCalls calls, ThriftReader reader, ClientDurability durability) {
        this.calls = calls;
        this.operations = new Operations(calls);
        this.reader = reader;
        this.durability = durability;
    }

    private TableName table() {
        return new TableName(reader.database(), reader.name());
    }

    private WriteOptions options() {
        return Wire.options(durability);
    }

    @Override
    public ClientTable withDurability(ClientDurability given) {
        return new ThriftTable(calls, reader, given);
    }

    @Override
    public String database() {
        return reader.database();
    }

    @Override
    public String name() {
        return reader.name();
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return reader.get(key);
    }

    @Override
    public @Nullable TaggedValue getTagged(byte[] key) {
        return reader.getTagged(key);
    }

    @Override
    public List<byte @Nullable []> getAll(List<byte[]> keys) {
        return reader.getAll(keys);
    }

    @Override
    public boolean contains(byte[] key) {
        return reader.contains(key);
    }

    @Override
    public EntryPage page(ScanOptions options) {
        return reader.page(options);
    }

    @Override
    public long count(ClientRange range) {
        return reader.count(range);
    }

    @Override
    public void put(byte[] key, byte[] value) {
        calls.writeVoid(service -> service.put(table(), Wire.key(key), Wire.value(value), options()));
    }

    @Override
    public void remove(byte[] key) {
        calls.writeVoid(service -> service.remove(table(), Wire.key(key), options()));
    }

    @Override
    public boolean putIf(byte[] key, byte[] value, ClientCondition condition) {
        return calls.write(service ->
                service.putIf(table(), Wire.key(key), Wire.value(value), Wire.condition(condition), options()));
    }

    @Override
    public boolean removeIf(byte[] key, ClientCondition condition) {
        return calls.write(service -> service.removeIf(table(), Wire.key(key), Wire.condition(condition), options()));
    }

    @Override
    public long add(byte[] key, long delta) {
        return calls.write(service -> service.add(table(), Wire.key(key), delta, options()));
    }

    @Override
    public int append(byte[] key, byte[] suffix) {
        return calls.write(service -> service.append(table(), Wire.key(key), Wire.value(suffix), options()));
    }

    @Override
    public int patch(byte[] key, int offset, byte[] part) {
        return calls.write(service -> service.patch(table(), Wire.key(key), offset, Wire.value(part), options()));
    }

    @Override
    public byte @Nullable [] getAndPut(byte[] key, byte[] value) {
        return calls.write(service -> service.getAndPut(table(), Wire.key(key), Wire.value(value), options()))
                .getValue();
    }

    @Override
    public byte @Nullable [] getAndRemove(byte[] key) {
        return calls.write(service -> service.getAndRemove(table(), Wire.key(key), options()))
                .getValue();
    }

    @Override
    public TableDescription describe() {
        return Answers.table(calls.read(service -> service.describeTable(table())));
    }

    @Override
    public TableDescription alter(Map<String, String> options) {
        return Answers.table(calls.write(service -> service.alterTable(table(), options)));
    }

    @Override
    public Statistics stats() {
        return Answers.statistics(calls.read(service -> service.tableStats(table())));
    }

    @Override
    public void truncate() {
        calls.writeVoid(service -> service.truncateTable(table()));
    }

    @Override
    public OperationResult start(OperationResult.Kind kind) {
        if (kind == OperationResult.Kind.OTHER) {
            throw KVClientException.invalid("OTHER is not an operation that can be started");
        }
        OperationRequest request = new OperationRequest(OperationKind.valueOf(kind.name()));
        request.setTable(table());
        return operations.start(request);
    }

    @Override
    public OperationResult flush() {
        return operations.await(start(OperationResult.Kind.FLUSH).id());
    }

    @Override
    public OperationResult optimize() {
        return operations.await(start(OperationResult.Kind.OPTIMIZE).id());
    }

    @Override
    public OperationResult verify() {
        return operations.await(start(OperationResult.Kind.VERIFY).id());
    }
}
