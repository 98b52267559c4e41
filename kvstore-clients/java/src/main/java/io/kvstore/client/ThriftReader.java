package io.kvstore.client;

import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.TableName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a table of a server, as it is now or as a snapshot sees it. */
final class ThriftReader implements TableReader {

    private final Calls calls;
    private final String database;
    private final String name;
    private final @Nullable Long snapshotId;

    ThriftReader(Calls calls, String database, String name, @Nullable Long snapshotId) {
        this.calls = calls;
        this.database = database;
        this.name = name;
        this.snapshotId = snapshotId;
    }

    private TableName table() {
        return new TableName(database, name);
    }

    private ReadOptions options() {
        ReadOptions options = new ReadOptions();
        if (snapshotId != null) {
            options.setSnapshotId(snapshotId);
        }
        return options;
    }

    @Override
    public String database() {
        return database;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return calls.read(service -> service.get(table(), Wire.key(key), options()))
                .getValue();
    }

    @Override
    public @Nullable TaggedValue getTagged(byte[] key) {
        return Answers.tagged(calls.read(
                service -> service.get(table(), Wire.key(key), options().setWithTag(true))));
    }

    @Override
    public List<byte @Nullable []> getAll(List<byte[]> keys) {
        return Answers.values(calls.read(service -> service.multiGet(table(), Wire.keys(keys), options())));
    }

    @Override
    public boolean contains(byte[] key) {
        return calls.read(service -> service.contains(table(), Wire.key(key), options()));
    }

    @Override
    public EntryPage page(ScanOptions options) {
        ScanRequest request = Wire.scan(table(), options);
        if (snapshotId != null) {
            request.setSnapshotId(snapshotId);
        }
        return Answers.page(calls.read(service -> service.scan(request)));
    }

    @Override
    public long count(ClientRange range) {
        return calls.read(service -> service.countKeys(table(), Wire.range(range), options()));
    }
}
