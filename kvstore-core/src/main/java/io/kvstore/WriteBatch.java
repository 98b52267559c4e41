package io.kvstore;

import io.kvstore.data.Change;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Merge;
import io.kvstore.data.Mutation;
import io.kvstore.durability.OpenTable;
import io.kvstore.durability.Operation;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes of any tables and engines of one store that are applied together or not at all, and the conditions that must hold for
 * that. Changes are applied in the order in which they were added, so a merge sees the changes before it. Conditions are
 * checked against the state before all changes. Not safe for use by several threads. Arrays are not copied.
 */
public final class WriteBatch {

    private final List<TableChange> changes = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();

    record TableChange(Table table, Change change) {}

    record Check(Table table, Condition condition) {}

    /** Sets a value. */
    public WriteBatch put(Table table, byte[] key, byte[] value) {
        return change(table, new Mutation.Put(key, value));
    }

    /** Sets a value. */
    public WriteBatch put(Table table, String key, byte[] value) {
        return put(table, Keys.bytes(key), value);
    }

    /** Removes a key, whether it exists or not. */
    public WriteBatch remove(Table table, byte[] key) {
        return change(table, new Mutation.Remove(key));
    }

    /** Removes a key, whether it exists or not. */
    public WriteBatch remove(Table table, String key) {
        return remove(table, Keys.bytes(key));
    }

    /** Adds to the number of a key, see {@link Table#add(byte[], long)}. */
    public WriteBatch add(Table table, byte[] key, long delta) {
        return change(table, new Merge.Add(key, delta));
    }

    /** Adds to the number of a key, see {@link Table#add(byte[], long)}. */
    public WriteBatch add(Table table, String key, long delta) {
        return add(table, Keys.bytes(key), delta);
    }

    /** Appends to the value of a key, see {@link Table#append(byte[], byte[])}. */
    public WriteBatch append(Table table, byte[] key, byte[] suffix) {
        return change(table, new Merge.Append(key, suffix));
    }

    /** Appends to the value of a key, see {@link Table#append(byte[], byte[])}. */
    public WriteBatch append(Table table, String key, byte[] suffix) {
        return append(table, Keys.bytes(key), suffix);
    }

    /** Overwrites a part of the value of a key, see {@link Table#patch(byte[], int, byte[])}. */
    public WriteBatch patch(Table table, byte[] key, int offset, byte[] bytes) {
        return change(table, new Merge.Patch(key, offset, bytes));
    }

    /** Overwrites a part of the value of a key, see {@link Table#patch(byte[], int, byte[])}. */
    public WriteBatch patch(Table table, String key, int offset, byte[] bytes) {
        return patch(table, Keys.bytes(key), offset, bytes);
    }

    private WriteBatch change(Table table, Change change) {
        changes.add(new TableChange(table, change));
        return this;
    }

    /** Applies the batch only if the condition holds. */
    public WriteBatch check(Table table, Condition condition) {
        checks.add(new Check(table, condition));
        return this;
    }

    /** How many changes the batch holds. */
    public int size() {
        return changes.size();
    }

    @Override
    public String toString() {
        return "WriteBatch[changes=" + changes.size() + ", checks=" + checks.size() + "]";
    }

    /** Applies the batch to the store of its tables. As {@link KVStore#write(WriteBatch, Durability)}. */
    long commitIn(KVStore store, @Nullable Durability durability) {
        if (changes.isEmpty()) {
            if (!checks.isEmpty()) {
                throw new InvalidRequestException(
                        "the batch has conditions and no change; add a change, or read instead");
            }
            return 0;
        }
        Operation.Committed committed = store.parts().pipeline().commit(operationIn(store), durability);
        if (!committed.isApplied()) {
            Check failed = checks.get(committed.failedCheck());
            throw new ConditionFailedException(
                    committed.failedCheck(),
                    "condition " + committed.failedCheck() + " of the batch, on table "
                            + failed.table().name() + ", does not hold; nothing was applied");
        }
        return committed.lsn();
    }

    private Operation operationIn(KVStore store) {
        long bytes = 0;
        Map<OpenTable, List<Change>> byTable = new TreeMap<>(OpenTable.IN_LOCK_ORDER);
        for (TableChange item : changes) {
            OpenTable table = item.table().in(store);
            Change change = Limits.change(table, item.change());
            bytes += Limits.bytes(change);
            byTable.computeIfAbsent(table, any -> new ArrayList<>()).add(change);
        }
        long limit = store.options().maxBatchBytes();
        if (bytes > limit) {
            throw new InvalidRequestException(
                    "the batch has " + bytes + " bytes of keys and values; the limit is " + limit + " (maxBatchBytes)");
        }
        List<Operation.TableWrite> writes = new ArrayList<>();
        byTable.forEach((table, ofTable) -> writes.add(Operation.TableWrite.of(table, ofTable)));
        List<Operation.Check> conditions = new ArrayList<>();
        for (Check check : checks) {
            Limits.key(check.condition().key());
            conditions.add(new Operation.Check(check.table().in(store), check.condition()));
        }
        return new Operation(writes, conditions);
    }
}
