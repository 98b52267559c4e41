package io.kvstore;

import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.data.TableProperties;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One table of an open store, bound to the table's identity and not to its name: after a drop every call throws
 * {@link io.kvstore.error.TableDroppedException}, even if a new table has the name; after a truncate the handle follows.
 * Safe for use by any number of threads.
 *
 * <p>Every call can throw {@link io.kvstore.error.StoreClosedException} and, after an I/O failure that is final,
 * {@link io.kvstore.error.StoreFailedException}; calls that name a key throw
 * {@link io.kvstore.error.InvalidRequestException} when it is longer than 65,535 bytes.
 */
public final class Table {

    Table() {}

    /** The database's name. */
    public String database() {
        throw new UnsupportedOperationException();
    }

    /** The table's name. */
    public String name() {
        throw new UnsupportedOperationException();
    }

    /** The engine's name. */
    public String engineName() {
        throw new UnsupportedOperationException();
    }

    /** The table's id; a truncate gives it a new one. */
    public int id() {
        throw new UnsupportedOperationException();
    }

    /** The table's parameters, every one with a value. */
    public TableProperties properties() {
        throw new UnsupportedOperationException();
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(byte[] key) {
        throw new UnsupportedOperationException();
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(String key) {
        return get(Keys.bytes(key));
    }

    /** The values of several keys at one moment, in the order given, null where there is none. */
    public List<byte @Nullable []> getAll(List<byte[]> keys) {
        throw new UnsupportedOperationException();
    }

    /** Sets a value, with the table's durability. */
    public void put(byte[] key, byte[] value) {
        throw new UnsupportedOperationException();
    }

    /** Sets a value, with the table's durability. */
    public void put(String key, byte[] value) {
        put(Keys.bytes(key), value);
    }

    /** Sets a value; null durability means the table's. */
    public void put(byte[] key, byte[] value, @Nullable Durability durability) {
        throw new UnsupportedOperationException();
    }

    /** Removes a key, whether it exists or not, with the table's durability. */
    public void remove(byte[] key) {
        throw new UnsupportedOperationException();
    }

    /** Removes a key, whether it exists or not, with the table's durability. */
    public void remove(String key) {
        remove(Keys.bytes(key));
    }

    /** Removes a key, whether it exists or not; null durability means the table's. */
    public void remove(byte[] key, @Nullable Durability durability) {
        throw new UnsupportedOperationException();
    }

    /** Sets a value if the condition holds; returns whether it did. Null durability means the table's. */
    public boolean putIf(Condition condition, byte[] key, byte[] value, @Nullable Durability durability) {
        throw new UnsupportedOperationException();
    }

    /** Removes a key if the condition holds; returns whether it did. Null durability means the table's. */
    public boolean removeIf(Condition condition, byte[] key, @Nullable Durability durability) {
        throw new UnsupportedOperationException();
    }

    /** Sets a value if the key has none; returns whether it did. */
    public boolean putIfAbsent(byte[] key, byte[] value) {
        return putIf(new Condition.Absent(key), key, value, null);
    }

    /** Sets a value if the key has none; returns whether it did. */
    public boolean putIfAbsent(String key, byte[] value) {
        return putIfAbsent(Keys.bytes(key), value);
    }

    /** Sets a value if the present one is {@code expected}; returns whether it did. */
    public boolean replace(byte[] key, byte[] expected, byte[] value) {
        return putIf(new Condition.ValueIs(key, expected), key, value, null);
    }

    /** Sets a value if the present one is {@code expected}; returns whether it did. */
    public boolean replace(String key, byte[] expected, byte[] value) {
        return replace(Keys.bytes(key), expected, value);
    }

    /** Removes a key if its value is {@code expected}; returns whether it did. */
    public boolean remove(byte[] key, byte[] expected) {
        return removeIf(new Condition.ValueIs(key, expected), key, null);
    }

    /** Removes a key if its value is {@code expected}; returns whether it did. */
    public boolean remove(String key, byte[] expected) {
        return remove(Keys.bytes(key), expected);
    }

    /** The entries of a range as they are now. Close the cursor. */
    public Cursor scan(KeyRange range) {
        throw new UnsupportedOperationException();
    }

    /** The entries of a range as they are now, for small jobs. Close the stream. */
    public Stream<Entry> stream(KeyRange range) {
        throw new UnsupportedOperationException();
    }

    /** How many entries a range has now. */
    public long count(KeyRange range) {
        throw new UnsupportedOperationException();
    }

    /** Removes every entry at once, durably. Open snapshots and cursors keep seeing them. */
    public void truncate() {
        throw new UnsupportedOperationException();
    }

    /** Moves what is buffered in memory to the table's files. */
    public void flush() {
        throw new UnsupportedOperationException();
    }

    /** Brings the table's files into their best shape for reading. */
    public void optimize(Progress progress) {
        throw new UnsupportedOperationException();
    }

    /** Reads every byte of the table and checks every rule of its structure. */
    public Findings verify() {
        throw new UnsupportedOperationException();
    }

    /** What the table knows of itself now. */
    public TableStats stats() {
        throw new UnsupportedOperationException();
    }
}
