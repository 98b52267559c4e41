package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the tables of one database, and checks. If every check holds before the first change, all changes are applied, in
 * the order in which they were added. Otherwise no change is applied. {@link KVClient#write(ClientBatch)} applies a batch.
 *
 * <p>Arrays are not copied: do not change them before the batch was applied. A String stands for its UTF-8 bytes. A batch is
 * for one thread at a time.
 */
public final class ClientBatch {

    private final String database;
    private final List<Change> changes = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();

    /**
     * One change: a put if it has a value, a merge if it has one, and otherwise a removal.
     *
     * @param table the table's name
     * @param key the key
     * @param value the value to put, or null
     * @param merge the merge to apply, or null
     */
    public record Change(
            String table,
            byte[] key,
            byte @Nullable [] value,
            @Nullable Merge merge) {}

    /** A change that is computed from the present value of its key. */
    public sealed interface Merge {

        /** Adds to a number, see {@link ClientTable#add(byte[], long)}. */
        record Add(long delta) implements Merge {}

        /** Appends to a value, see {@link ClientTable#append(byte[], byte[])}. */
        record Append(byte[] suffix) implements Merge {}

        /** Overwrites a part of a value, see {@link ClientTable#patch(byte[], int, byte[])}. */
        record Patch(int offset, byte[] part) implements Merge {}
    }

    /**
     * A condition that must hold for the batch to be applied.
     *
     * @param table the table's name
     * @param key the key
     * @param condition the condition that must hold for the key
     */
    public record Check(String table, byte[] key, ClientCondition condition) {}

    private ClientBatch(String database) {
        this.database = database;
    }

    /** Begins an empty batch for the tables of a database. */
    public static ClientBatch in(String database) {
        return new ClientBatch(database);
    }

    /**
     * Adds a change that sets the value of a key.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the value is null
     */
    public ClientBatch put(String table, byte[] key, byte[] value) {
        if (value == null) {
            throw KVClientException.invalid("the value is null; remove the key, or store an empty array");
        }
        changes.add(new Change(table, key, value, null));
        return this;
    }

    /**
     * Adds a change that sets the value of a key.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the value is null, or if a surrogate of the key stands alone
     */
    public ClientBatch put(String table, String key, byte[] value) {
        return put(table, Utf8.bytes(key), value);
    }

    /** Adds a change that removes a key. The key need not have a value. */
    public ClientBatch remove(String table, byte[] key) {
        changes.add(new Change(table, key, null, null));
        return this;
    }

    /**
     * Adds a change that removes a key. The key need not have a value.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if a surrogate of the key stands alone
     */
    public ClientBatch remove(String table, String key) {
        return remove(table, Utf8.bytes(key));
    }

    /** Adds a change that adds to the number of a key, see {@link ClientTable#add(byte[], long)}. */
    public ClientBatch add(String table, byte[] key, long delta) {
        return merge(table, key, new Merge.Add(delta));
    }

    /**
     * Adds a change that adds to the number of a key, see {@link ClientTable#add(byte[], long)}.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if a surrogate of the key stands alone
     */
    public ClientBatch add(String table, String key, long delta) {
        return add(table, Utf8.bytes(key), delta);
    }

    /**
     * Adds a change that appends to the value of a key, see {@link ClientTable#append(byte[], byte[])}.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the suffix is null
     */
    public ClientBatch append(String table, byte[] key, byte[] suffix) {
        return merge(table, key, new Merge.Append(part("suffix", suffix)));
    }

    /**
     * Adds a change that appends to the value of a key, see {@link ClientTable#append(byte[], byte[])}.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the suffix is null, or if a surrogate of the key stands alone
     */
    public ClientBatch append(String table, String key, byte[] suffix) {
        return append(table, Utf8.bytes(key), suffix);
    }

    /**
     * Adds a change that overwrites a part of the value of a key, see {@link ClientTable#patch(byte[], int, byte[])}.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the part is null
     */
    public ClientBatch patch(String table, byte[] key, int offset, byte[] part) {
        return merge(table, key, new Merge.Patch(offset, part("part", part)));
    }

    /**
     * Adds a change that overwrites a part of the value of a key, see {@link ClientTable#patch(byte[], int, byte[])}.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the part is null, or if a surrogate of the key stands alone
     */
    public ClientBatch patch(String table, String key, int offset, byte[] part) {
        return patch(table, Utf8.bytes(key), offset, part);
    }

    private ClientBatch merge(String table, byte[] key, Merge merge) {
        changes.add(new Change(table, key, null, merge));
        return this;
    }

    private static byte[] part(String name, byte @Nullable [] bytes) {
        if (bytes == null) {
            throw KVClientException.invalid("the " + name + " is null; give an empty array for no bytes");
        }
        return bytes;
    }

    /** Adds a check: the batch is applied only if the condition holds for the key. */
    public ClientBatch check(String table, byte[] key, ClientCondition condition) {
        checks.add(new Check(table, key, condition));
        return this;
    }

    /**
     * Adds a check: the batch is applied only if the condition holds for the key.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if a surrogate of the key stands alone
     */
    public ClientBatch check(String table, String key, ClientCondition condition) {
        return check(table, Utf8.bytes(key), condition);
    }

    /** The database of the tables. */
    public String database() {
        return database;
    }

    /** The changes, in the order in which they were added. The list shows later additions and cannot be changed. */
    public List<Change> changes() {
        return Collections.unmodifiableList(changes);
    }

    /** The checks, in the order in which they were added. The list shows later additions and cannot be changed. */
    public List<Check> checks() {
        return Collections.unmodifiableList(checks);
    }
}
