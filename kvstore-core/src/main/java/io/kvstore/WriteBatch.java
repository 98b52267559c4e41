package io.kvstore;

import io.kvstore.data.Condition;
import io.kvstore.data.Mutation;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes of any tables and engines of one store that are applied together or not at all, and the conditions that must hold for
 * that. Changes are applied in the order in which they were added. Conditions are checked against the state before all changes.
 * Not safe for use by several threads. Arrays are not copied.
 */
public final class WriteBatch {

    private final List<Change> changes = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();

    record Change(Table table, Mutation mutation) {}

    record Check(Table table, Condition condition) {}

    /** Sets a value. */
    public WriteBatch put(Table table, byte[] key, byte[] value) {
        changes.add(new Change(table, new Mutation.Put(key, value)));
        return this;
    }

    /** Sets a value. */
    public WriteBatch put(Table table, String key, byte[] value) {
        return put(table, Keys.bytes(key), value);
    }

    /** Removes a key, whether it exists or not. */
    public WriteBatch remove(Table table, byte[] key) {
        changes.add(new Change(table, new Mutation.Remove(key)));
        return this;
    }

    /** Removes a key, whether it exists or not. */
    public WriteBatch remove(Table table, String key) {
        return remove(table, Keys.bytes(key));
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

    List<Change> changes() {
        return changes;
    }

    List<Check> checks() {
        return checks;
    }
}
