package io.kvstore;

import io.kvstore.data.Change;
import io.kvstore.data.Condition;
import io.kvstore.data.Merge;
import io.kvstore.data.Mutation;
import java.util.ArrayList;
import java.util.List;

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

    List<TableChange> changes() {
        return changes;
    }

    List<Check> checks() {
        return checks;
    }
}
