package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import io.kvstore.thrift.Batch;
import io.kvstore.thrift.Check;
import io.kvstore.thrift.Condition;
import io.kvstore.thrift.ConditionKind;
import io.kvstore.thrift.Durability;
import io.kvstore.thrift.KeyRange;
import io.kvstore.thrift.Merge;
import io.kvstore.thrift.Mutation;
import io.kvstore.thrift.Patch;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.TableName;
import io.kvstore.thrift.WriteOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns the arguments of calls into the types of Thrift. */
final class Wire {

    private static final int PAGE_ENTRIES = 1_000;

    private Wire() {}

    static ByteBuffer key(byte @Nullable [] key) {
        if (key == null) {
            throw KVClientException.invalid("the key is null; the empty key is a byte array of length 0");
        }
        return ByteBuffer.wrap(key);
    }

    static ByteBuffer value(byte @Nullable [] value) {
        if (value == null) {
            throw KVClientException.invalid("the value is null; remove the key, or store an empty array");
        }
        return ByteBuffer.wrap(value);
    }

    static List<ByteBuffer> keys(List<byte[]> keys) {
        List<ByteBuffer> wrapped = new ArrayList<>(keys.size());
        for (byte[] key : keys) {
            wrapped.add(key(key));
        }
        return wrapped;
    }

    static WriteOptions options(ClientDurability durability) {
        WriteOptions options = new WriteOptions();
        if (durability != ClientDurability.TABLE_DEFAULT) {
            options.setDurability(Durability.valueOf(durability.name()));
        }
        return options;
    }

    static Condition condition(ClientCondition given) {
        Condition condition = new Condition(ConditionKind.valueOf(given.kind().name()));
        if (given.kind() == ClientCondition.Kind.TAG_IS) {
            condition.setTag(given.tag());
        }
        if (given.value() != null) {
            condition.setValue(ByteBuffer.wrap(given.value()));
        }
        return condition;
    }

    /** A batch that is not empty. The table of the result is the table of the first change, or else of the first check. */
    static Batch batch(ClientBatch given) {
        String table = given.changes().isEmpty()
                ? given.checks().get(0).table()
                : given.changes().get(0).table();
        List<Mutation> mutations = new ArrayList<>(given.changes().size());
        for (ClientBatch.Change change : given.changes()) {
            Mutation mutation = new Mutation(key(change.key()));
            if (change.value() != null) {
                mutation.setValue(ByteBuffer.wrap(change.value()));
            } else if (change.merge() != null) {
                mutation.setMerge(merge(change.merge()));
            }
            if (!change.table().equals(table)) {
                mutation.setTable(change.table());
            }
            mutations.add(mutation);
        }
        Batch batch = new Batch(new TableName(given.database(), table), mutations);
        for (ClientBatch.Check check : given.checks()) {
            Check sent = new Check(key(check.key()), condition(check.condition()));
            if (!check.table().equals(table)) {
                sent.setTable(check.table());
            }
            batch.addToChecks(sent);
        }
        return batch;
    }

    private static Merge merge(ClientBatch.Merge given) {
        if (given instanceof ClientBatch.Merge.Add add) {
            return new Merge().setAdd(add.delta());
        } else if (given instanceof ClientBatch.Merge.Append append) {
            return new Merge().setAppend(ByteBuffer.wrap(append.suffix()));
        }
        ClientBatch.Merge.Patch patch = (ClientBatch.Merge.Patch) given;
        return new Merge().setPatch(new Patch(patch.offset(), ByteBuffer.wrap(patch.part())));
    }

    static KeyRange range(ClientRange given) {
        KeyRange range = new KeyRange();
        if (given.prefix() != null) {
            range.setPrefix(ByteBuffer.wrap(given.prefix()));
        }
        if (given.lower() != null) {
            range.setStartKey(ByteBuffer.wrap(given.lower()));
            range.setStartExclusive(!given.lowerInclusive());
        }
        if (given.upper() != null) {
            range.setStopKey(ByteBuffer.wrap(given.upper()));
            range.setStopInclusive(given.upperInclusive());
        }
        return range;
    }

    static ScanRequest scan(TableName table, ScanOptions options) {
        ScanRequest request = new ScanRequest(table);
        request.setRange(range(options.range()));
        request.setReversed(options.reversed());
        request.setKeysOnly(options.keysOnly());
        int page = options.pageEntries() == 0 ? PAGE_ENTRIES : options.pageEntries();
        request.setMaxEntries((int) Math.min(page, options.limit()));
        if (options.pageBytes() > 0) {
            request.setMaxBytes(options.pageBytes());
        }
        if (options.maxValueBytes() >= 0) {
            request.setMaxValueBytes(options.maxValueBytes());
        }
        if (options.continuation() != null) {
            request.setContinuation(ByteBuffer.wrap(options.continuation()));
        }
        return request;
    }
}
