package io.kvstore;

import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableProperties;
import io.kvstore.durability.CommitPipeline.Check;
import io.kvstore.durability.CommitPipeline.Operation;
import io.kvstore.durability.CommitPipeline.TableWrite;
import io.kvstore.durability.OpenTable;
import io.kvstore.durability.PinnedView;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One table of an open store. The handle is bound to the table's identity and not to its name. After a drop every call throws
 * {@link io.kvstore.error.TableDroppedException}, even if a new table has the name. After a truncate the handle follows the
 * table. Safe for use by any number of threads.
 *
 * <p>Every call can throw {@link io.kvstore.error.StoreClosedException} and, after an I/O failure that is final,
 * {@link io.kvstore.error.StoreFailedException}. Calls that name a key throw {@link io.kvstore.error.InvalidRequestException}
 * when the key is longer than 65,535 bytes.
 *
 * <p>Nobody may change an array that is given to a call until the call returns. Keys are copied first. So are values of up to
 * 1,024 bytes in a table with a log. Of these the table and the log have the same bytes, whatever happens. Other values are not
 * copied. If such a value changes while it is put, any mixture of its old and new bytes may be stored, and the table and the
 * log may have different mixtures. Then the value can be another one after the store was opened again, or damaged. Nothing else
 * is harmed by that.
 */
public final class Table {

    private final KVStore store;
    private final OpenTable open;

    Table(KVStore store, OpenTable open) {
        this.store = store;
        this.open = open;
    }

    /** The open table, if it is a table of the given store. */
    OpenTable in(KVStore asked) {
        if (asked != store) {
            throw new InvalidRequestException("table " + open.name() + " belongs to another store");
        }
        return open;
    }

    /** The database's name. */
    public String database() {
        return open.database();
    }

    /** The table's name. */
    public String name() {
        return open.name();
    }

    /** The engine's name. */
    public String engineName() {
        return open.engineName();
    }

    /** The table's id; a truncate gives it a new one. */
    public int id() {
        return open.info().id();
    }

    /**
     * The log sequence number up to which a scan sees operations if it begins now. In a table of level {@code SYNC} that may be
     * the last one of any table that is durable. As long as this number and {@link #id} stay what they were before a scan
     * began, another scan finds the same.
     *
     * @throws io.kvstore.error.KVStoreException if the table was dropped or its files are damaged
     */
    public long lastLsn() {
        return store.parts().reads().lastLsn(open);
    }

    /** The table's parameters, every one with a value. */
    public TableProperties properties() {
        return open.info().properties();
    }

    /** The largest value that the table takes, in bytes: the parameter {@code MAX_VALUE_BYTES}. */
    public long maxValueBytes() {
        return open.maxValueBytes();
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(byte[] key) {
        return store.parts().reads().get(open, Limits.key(key));
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(String key) {
        return get(Keys.bytes(key));
    }

    /** The values of several keys at one moment, in the order of the given keys; null for a key without a value. */
    public List<byte @Nullable []> getAll(List<byte[]> keys) {
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        getAll(keys, values::add);
        return values;
    }

    /**
     * Reads several keys at one view, in the given order. Hands over each value when it was read; null for a key without a
     * value. An exception that the receiver throws ends the reading.
     */
    public void getAll(List<byte[]> keys, Consumer<byte @Nullable []> receiver) {
        try (PinnedView view = store.parts().reads().view(open)) {
            for (byte[] key : keys) {
                receiver.accept(view.get(open, Limits.key(key)));
            }
        }
    }

    /** Sets a value, with the table's durability. */
    public void put(byte[] key, byte[] value) {
        store.parts().pipeline().commit(open, Limits.put(open, key, value), null);
    }

    /** Sets a value, with the table's durability. */
    public void put(String key, byte[] value) {
        put(Keys.bytes(key), value);
    }

    /** Sets a value. Null durability means the table's durability. */
    public void put(byte[] key, byte[] value, @Nullable Durability durability) {
        store.parts().pipeline().commit(open, Limits.put(open, key, value), durability);
    }

    /** Removes a key, whether it exists or not, with the table's durability. */
    public void remove(byte[] key) {
        remove(key, (Durability) null);
    }

    /** Removes a key, whether it exists or not, with the table's durability. */
    public void remove(String key) {
        remove(Keys.bytes(key));
    }

    /** Removes a key, whether it exists or not. Null durability means the table's durability. */
    public void remove(byte[] key, @Nullable Durability durability) {
        store.parts().pipeline().commit(open, Limits.remove(Limits.key(key)), durability);
    }

    /** Sets a value if the condition holds. Returns whether it held. Null durability means the table's durability. */
    public boolean putIf(Condition condition, byte[] key, byte[] value, @Nullable Durability durability) {
        return commitIf(condition, Limits.put(open, key, value), durability);
    }

    /** Removes a key if the condition holds. Returns whether it held. Null durability means the table's durability. */
    public boolean removeIf(Condition condition, byte[] key, @Nullable Durability durability) {
        return commitIf(condition, Limits.remove(Limits.key(key)), durability);
    }

    /** Sets a value if the key has none. Returns whether the value was set. */
    public boolean putIfAbsent(byte[] key, byte[] value) {
        return putIf(new Condition.Absent(key), key, value, null);
    }

    /** Sets a value if the key has none. Returns whether the value was set. */
    public boolean putIfAbsent(String key, byte[] value) {
        return putIfAbsent(Keys.bytes(key), value);
    }

    /** Sets a value if the present value is {@code expected}. Returns whether the value was set. */
    public boolean replace(byte[] key, byte[] expected, byte[] value) {
        return putIf(new Condition.ValueIs(key, Limits.expected(expected)), key, value, null);
    }

    /** Sets a value if the present value is {@code expected}. Returns whether the value was set. */
    public boolean replace(String key, byte[] expected, byte[] value) {
        return replace(Keys.bytes(key), expected, value);
    }

    /** Removes a key if its value is {@code expected}. Returns whether the key was removed. */
    public boolean remove(byte[] key, byte[] expected) {
        return removeIf(new Condition.ValueIs(key, Limits.expected(expected)), key, null);
    }

    /** Removes a key if its value is {@code expected}. Returns whether the key was removed. */
    public boolean remove(String key, byte[] expected) {
        return remove(Keys.bytes(key), expected);
    }

    /** The entries of a range as they are now. The caller closes the cursor. */
    public Cursor scan(KeyRange range) {
        PinnedView view = store.parts().reads().view(open);
        try {
            return new OpenCursor(view.scan(open, range, true));
        } catch (Throwable e) {
            view.close();
            throw e;
        }
    }

    /** The entries of a range as they are now, for small jobs. The caller closes the stream. */
    public Stream<Entry> stream(KeyRange range) {
        return EntryStream.of(scan(range));
    }

    /** How many entries a range has now. Counting ends at the range's limit, if it has one. */
    public long count(KeyRange range) {
        try (PinnedView view = store.parts().reads().view(open)) {
            return view.count(open, range);
        }
    }

    /** Removes every entry at once, durably. Open snapshots and cursors still see the entries. */
    public void truncate() {
        store.parts().schema().truncate(open);
    }

    /** Writes the data that is buffered in memory to the table's files. */
    public void flush() {
        store.parts().flush(open);
    }

    /** Brings the table's files into their best shape for reading. */
    public void optimize(Progress progress) {
        store.parts().maintain(open, "optimizing " + open.name(), engine -> engine.optimize(progress));
    }

    /** Reads every byte of the table and checks every rule of its structure. */
    public Findings verify() {
        Findings findings = new Findings();
        store.parts().maintain(open, "verifying " + open.name(), engine -> engine.verify(findings));
        return findings;
    }

    /** The table's figures now. */
    public TableStats stats() {
        return store.statsOf(open);
    }

    private boolean commitIf(Condition condition, Mutation mutation, @Nullable Durability durability) {
        Limits.key(condition.key());
        Operation operation =
                new Operation(List.of(new TableWrite(open, List.of(mutation))), List.of(new Check(open, condition)));
        return store.parts().pipeline().commit(operation, durability).isApplied();
    }
}
