package io.kvstore.client.embedded;

import io.kvstore.Table;
import io.kvstore.client.ClientCondition;
import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientRange;
import io.kvstore.client.ClientTable;
import io.kvstore.client.EntryPage;
import io.kvstore.client.OperationResult;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.Statistics;
import io.kvstore.client.TableDescription;
import io.kvstore.client.TaggedValue;
import io.kvstore.data.Merge;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handle of a table of the store. */
record EmbeddedTable(Jobs jobs, EmbeddedReader reader, ClientDurability durability) implements ClientTable {

    private Access access() {
        return reader.access();
    }

    @Override
    public ClientTable withDurability(ClientDurability given) {
        return new EmbeddedTable(jobs, reader, given);
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
        access().run(() -> {
            Table table = reader.table();
            table.put(Requests.key(key), Requests.value(table, value), Requests.durability(durability));
        });
    }

    @Override
    public void remove(byte[] key) {
        access().run(() -> reader.table().remove(Requests.key(key), Requests.durability(durability)));
    }

    @Override
    public boolean putIf(byte[] key, byte[] value, ClientCondition condition) {
        return access().call(() -> {
            Table table = reader.table();
            return table.putIf(
                    Requests.condition(key, condition),
                    key,
                    Requests.value(table, value),
                    Requests.durability(durability));
        });
    }

    @Override
    public boolean removeIf(byte[] key, ClientCondition condition) {
        return access().call(() ->
                reader.table().removeIf(Requests.condition(key, condition), key, Requests.durability(durability)));
    }

    @Override
    public long add(byte[] key, long delta) {
        Merge.Add add = new Merge.Add(Requests.key(key), delta);
        return access().call(() -> add.numberOf(reader.table().merge(add, Requests.durability(durability))));
    }

    @Override
    public int append(byte[] key, byte[] suffix) {
        return access().call(() -> {
            Table table = reader.table();
            Merge append = new Merge.Append(Requests.key(key), Requests.value(table, suffix));
            return table.merge(append, Requests.durability(durability)).length;
        });
    }

    @Override
    public int patch(byte[] key, int offset, byte[] part) {
        return access().call(() -> {
            Table table = reader.table();
            Merge patch = new Merge.Patch(Requests.key(key), offset, Requests.value(table, part));
            return table.merge(patch, Requests.durability(durability)).length;
        });
    }

    @Override
    public byte @Nullable [] getAndPut(byte[] key, byte[] value) {
        return access().call(() -> {
            Table table = reader.table();
            byte[] checked = Requests.value(table, value);
            return table.getAndPut(Requests.key(key), checked, Requests.durability(durability));
        });
    }

    @Override
    public byte @Nullable [] getAndRemove(byte[] key) {
        return access().call(() -> reader.table().getAndRemove(Requests.key(key), Requests.durability(durability)));
    }

    @Override
    public TableDescription describe() {
        return access().call(() -> Definition.describe(reader.table()));
    }

    @Override
    public TableDescription alter(Map<String, String> options) {
        return access().call(() -> {
            Table table = reader.table();
            table.alter(new Definition(table.engineName(), options).asProperties());
            return Definition.describe(table);
        });
    }

    @Override
    public Statistics stats() {
        return access().call(() -> Figures.of(reader.table().stats()));
    }

    @Override
    public void truncate() {
        access().run(() -> reader.table().truncate());
    }

    @Override
    public OperationResult start(OperationResult.Kind kind) {
        return jobs.run(kind, access().call(reader::table));
    }

    @Override
    public OperationResult flush() {
        return Jobs.ended(start(OperationResult.Kind.FLUSH));
    }

    @Override
    public OperationResult optimize() {
        return Jobs.ended(start(OperationResult.Kind.OPTIMIZE));
    }

    @Override
    public OperationResult verify() {
        return Jobs.ended(start(OperationResult.Kind.VERIFY));
    }
}
