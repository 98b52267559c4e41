package io.kvstore.server.thrift;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.kvstore.thrift.Batch;
import io.kvstore.thrift.Check;
import io.kvstore.thrift.Mutation;
import io.kvstore.thrift.TableName;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The calls that write. Safe for use by several threads. */
final class Writes {

    private final KVStore store;
    private final Tables tables;

    Writes(Edge edge) {
        this.store = edge.store();
        this.tables = edge.tables();
    }

    /** The bytes of a value. Refuses a value that exceeds the table's limit. */
    static byte[] value(Table table, @Nullable ByteBuffer given) {
        ByteBuffer buffer = Requests.need(given, "the value");
        Tables.checkValueBytes(table, buffer.remaining());
        return Requests.bytes(buffer, "the value");
    }

    long write(@Nullable Batch given, @Nullable Durability durability) {
        Batch batch = Requests.need(given, "the batch");
        List<Mutation> mutations = Requests.need(batch.getMutations(), "mutations");
        if (mutations.isEmpty()) {
            throw ProblemException.invalid("the batch has no mutations; give 1 to " + Limits.ITEMS);
        }
        Filling filling = new Filling(Requests.need(batch.getTable(), "the table"));
        if (batch.getChecks() != null) {
            batch.getChecks().forEach(filling::check);
        }
        mutations.forEach(filling::mutate);
        return store.write(filling.batch, durability);
    }

    /** Turns the items of one request into a batch. */
    private final class Filling {

        private final WriteBatch batch = new WriteBatch();
        private final String database;
        private final Table table;
        private final Map<String, Table> others = new HashMap<>();

        Filling(TableName name) {
            this.database = Requests.need(name.getDatabase(), "the database");
            this.table = tables.named(database, Requests.need(name.getTable(), "the table"));
        }

        void check(Check check) {
            byte[] key = Requests.key(check.bufferForKey());
            batch.check(named(check.getTable()), Requests.condition(key, check.getCondition()));
        }

        void mutate(Mutation mutation) {
            Table target = named(mutation.getTable());
            byte[] key = Requests.key(mutation.bufferForKey());
            if (mutation.isSetValue()) {
                batch.put(target, key, value(target, mutation.bufferForValue()));
            } else {
                batch.remove(target, key);
            }
        }

        private Table named(@Nullable String name) {
            return name == null ? table : others.computeIfAbsent(name, other -> tables.named(database, other));
        }
    }
}
