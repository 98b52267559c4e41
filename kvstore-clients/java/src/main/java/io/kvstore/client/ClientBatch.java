package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes of tables of one database that are applied together or not at all, in the order given, if every check holds before
 * all of them. Apply it with {@link KVClient#write(ClientBatch)}. Arrays are not copied. Not safe for several threads.
 */
public final class ClientBatch {

    private final String database;
    private final List<Change> changes = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();

    /**
     * One change.
     *
     * @param table the table's name
     * @param key the key
     * @param value the value to put; null: the key is removed
     */
    public record Change(String table, byte[] key, byte @Nullable [] value) {}

    /**
     * A condition that must hold for the batch to be applied.
     *
     * @param table the table's name
     * @param key the key
     * @param condition what must hold of it
     */
    public record Check(String table, byte[] key, ClientCondition condition) {}

    private ClientBatch(String database) {
        this.database = database;
    }

    /** An empty batch for the tables of a database. */
    public static ClientBatch in(String database) {
        return new ClientBatch(database);
    }

    /** Sets a value. */
    public ClientBatch put(String table, byte[] key, byte[] value) {
        if (value == null) {
            throw KVClientException.invalid("the value is null; remove the key, or store an empty array");
        }
        changes.add(new Change(table, key, value));
        return this;
    }

    /** Sets a value. */
    public ClientBatch put(String table, String key, byte[] value) {
        return put(table, Utf8.bytes(key), value);
    }

    /** Removes a key, whether it has a value or not. */
    public ClientBatch remove(String table, byte[] key) {
        changes.add(new Change(table, key, null));
        return this;
    }

    /** Removes a key, whether it has a value or not. */
    public ClientBatch remove(String table, String key) {
        return remove(table, Utf8.bytes(key));
    }

    /** Applies the batch only if the condition holds for the key. */
    public ClientBatch check(String table, byte[] key, ClientCondition condition) {
        checks.add(new Check(table, key, condition));
        return this;
    }

    /** Applies the batch only if the condition holds for the key. */
    public ClientBatch check(String table, String key, ClientCondition condition) {
        return check(table, Utf8.bytes(key), condition);
    }

    /** The database of its tables. */
    public String database() {
        return database;
    }

    /** The changes, in order. */
    public List<Change> changes() {
        return Collections.unmodifiableList(changes);
    }

    /** The checks, in order. */
    public List<Check> checks() {
        return Collections.unmodifiableList(checks);
    }
}
