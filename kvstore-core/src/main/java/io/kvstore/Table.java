package io.kvstore;

import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Merge;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableProperties;
import io.kvstore.durability.OpenTable;
import io.kvstore.durability.Operation;
import io.kvstore.durability.Operation.Check;
import io.kvstore.durability.Operation.TableWrite;
import io.kvstore.durability.PinnedView;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.error.InvalidRequestException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
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

    /** The table's name, also after {@link KVStore#renameTable}. */
    public String name() {
        return open.name();
    }

    /** The engine's name. */
    public String engineName() {
        return open.engineName();
    }

    /**
     * Whether the table keeps its entries in the order of keys. Any other table has an order of its own, which stays the same
     * as long as the table lives. It scans and counts all entries, or those {@linkplain KeyRange#after behind a key}. It
     * refuses any other range, and {@link #rank}, with {@link InvalidRequestException}.
     */
    public boolean isOrdered() {
        return open.isOrdered();
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

    /**
     * Reads the value of a key without a copy of it where possible: passes a read-only buffer with exactly the value to the
     * reader, or null if the key has no value, and returns the reader's result. Throws what the reader throws. The value has
     * been checked, as that of {@link #get}.
     *
     * <p>A value of 8 KiB or more that is kept apart is mostly shown in the memory to which its file is mapped. Any other is
     * copied once, as {@link #get} does it: a short one, one that was just written, one whose write a {@code SYNC} table still
     * waits for. The reader cannot rely on either, and {@link ByteBuffer#hasArray} is always false.
     *
     * <p>The buffer is the reader's until it returns. A kept buffer shows the same value as before, or each access to it throws
     * {@link IllegalStateException}. It never shows other bytes. If a kept buffer is passed to a channel while its file of
     * values is given up, that file may stay in memory until the process ends.
     *
     * <p>The reader may call the store again, but cannot close it. While it runs, the store is not closed, tables that were
     * dropped or truncated keep their files and memory, resting tables give no memory to others, and value files that are given
     * up keep their space on the disk. So a reader should be done within moments: where writers replace values all the time,
     * the files grow by what was replaced. If the disk fails while the reader looks at the buffer, the access throws
     * {@link InternalError}.
     */
    public <T extends @Nullable Object> T read(byte[] key, Function<@Nullable ByteBuffer, T> reader) {
        return store.parts().reads().read(open, Limits.key(key), Objects.requireNonNull(reader, "reader"));
    }

    /** Reads the value of a key without a copy where possible, as {@link #read(byte[], Function)}. */
    public <T extends @Nullable Object> T read(String key, Function<@Nullable ByteBuffer, T> reader) {
        return read(Keys.bytes(key), reader);
    }

    /** Whether a key has a value. The value is not read. */
    public boolean contains(byte[] key) {
        return store.parts().reads().contains(open, Limits.key(key));
    }

    /** Whether a key has a value. The value is not read. */
    public boolean contains(String key) {
        return contains(Keys.bytes(key));
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

    /** As {@link #put(byte[], byte[])}. */
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

    /** Sets a value and returns the previous one, or null. No other write of the key comes in between. */
    public byte @Nullable [] getAndPut(byte[] key, byte[] value) {
        return getAndPut(key, value, null);
    }

    /** Sets a value and returns the previous one, or null. */
    public byte @Nullable [] getAndPut(String key, byte[] value) {
        return getAndPut(Keys.bytes(key), value);
    }

    /** Sets a value and returns the previous one, or null. Null durability means the table's durability. */
    public byte @Nullable [] getAndPut(byte[] key, byte[] value, @Nullable Durability durability) {
        return store.parts().pipeline().exchange(open, Limits.put(open, key, value), durability);
    }

    /** Removes a key and returns its value, or null if it had none. Then nothing is written. */
    public byte @Nullable [] getAndRemove(byte[] key) {
        return getAndRemove(key, null);
    }

    /** Removes a key and returns its value, or null if it had none. */
    public byte @Nullable [] getAndRemove(String key) {
        return getAndRemove(Keys.bytes(key));
    }

    /** Removes a key and returns its value, or null if it had none. Null durability means the table's durability. */
    public byte @Nullable [] getAndRemove(byte[] key, @Nullable Durability durability) {
        return store.parts().pipeline().exchange(open, Limits.remove(Limits.key(key)), durability);
    }

    /**
     * Adds to the number that a key has, and returns the sum. The value is decimal text in ASCII, such as {@code -7}. An absent
     * key counts as 0. No addition is lost, whatever other writers do.
     *
     * @throws InvalidRequestException if the value is no such number, or the sum does not fit into 64 bits; nothing has changed
     */
    public long add(byte[] key, long delta) {
        Merge.Add add = new Merge.Add(Limits.key(key), delta);
        return add.numberOf(merge(add));
    }

    /** Adds to the number that a key has, and returns the sum. Throws as {@link #add(byte[], long)}. */
    public long add(String key, long delta) {
        return add(Keys.bytes(key), delta);
    }

    /**
     * Appends bytes to the value of a key, and returns the length of the value in bytes. An absent key counts as an empty
     * value. This copies the value, so long lists are better kept as one key for each element.
     *
     * @throws InvalidRequestException if the value would be longer than {@link Merge#MAX_RESULT_BYTES} or the table's limit;
     *     nothing has changed
     */
    public int append(byte[] key, byte[] suffix) {
        return merge(new Merge.Append(key, suffix)).length;
    }

    /** Appends bytes to the value of a key. Returns and throws as {@link #append(byte[], byte[])}. */
    public int append(String key, byte[] suffix) {
        return append(Keys.bytes(key), suffix);
    }

    /**
     * Overwrites the bytes of a value from an offset on, and returns the length of the value in bytes. The value grows as
     * needed. An absent key counts as an empty value. This copies the value.
     *
     * @param offset where the first of the bytes goes; 0 to the length of the present value
     * @throws InvalidRequestException if the offset is behind the value's end, or the value would be longer than
     *     {@link Merge#MAX_RESULT_BYTES} or the table's limit; nothing has changed
     */
    public int patch(byte[] key, int offset, byte[] bytes) {
        return merge(new Merge.Patch(key, offset, bytes)).length;
    }

    /** As {@link #patch(byte[], int, byte[])}. */
    public int patch(String key, int offset, byte[] bytes) {
        return patch(Keys.bytes(key), offset, bytes);
    }

    /** Applies a merge, and returns the new value. Throws what {@link Merge#on} throws; then nothing has changed. */
    public byte[] merge(Merge merge) {
        return merge(merge, null);
    }

    /** Applies a merge, and returns the new value. Null durability means the table's durability. */
    public byte[] merge(Merge merge, @Nullable Durability durability) {
        return store.parts().pipeline().merge(open, Limits.merge(merge), durability);
    }

    /**
     * Replaces the value of a key by the function of it, and returns the new value. The function runs without the table's lock,
     * and runs again if another writer came in between, so it should do nothing but compute. It gets null for an absent key,
     * and returns null to remove the key. What it throws is thrown here, and then nothing has changed.
     *
     * <p>After 3 runs in vain an update takes turns with the other updates of its key. So where n threads do nothing else with
     * a key, and no run takes 5 seconds, each runs its function n + 3 times at most. Other writes of the key take no turns, and
     * each can cause one more run. A function may wait for updates of other threads. One that waits for an update of the same
     * key is held up for 5 seconds.
     */
    public byte @Nullable [] update(byte[] key, UnaryOperator<byte @Nullable []> function) {
        return store.updates().update(this, open.order(), key, function);
    }

    /** Replaces the value of a key by the function of it, as {@link #update(byte[], UnaryOperator)}. */
    public byte @Nullable [] update(String key, UnaryOperator<byte @Nullable []> function) {
        return update(Keys.bytes(key), function);
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

    /**
     * How many entries a range has now. Counting ends at the range's limit, if it has one. A {@code BPLUS} table counts whole
     * leaves, a {@code HASH} table knows how many entries it has; others walk over the keys.
     */
    public long count(KeyRange range) {
        try (PinnedView view = store.parts().reads().view(open)) {
            return view.count(open, range);
        }
    }

    /**
     * How many keys are below a key now, whether the table has it or not: the index that {@link #keyAt} would take to find it.
     * As {@link #count}, this is fast in a {@code BPLUS} table, which counts leaves, and walks over the keys in others.
     */
    public long rank(byte[] key) {
        return count(KeyRange.all().to(Limits.key(key), false));
    }

    /**
     * The key that has {@code index} keys of a range before it now, in the direction of the range, or null if the range has not
     * so many. The limit of the range has no meaning here. A {@code BPLUS} table passes whole leaves at once.
     *
     * @throws InvalidRequestException if the index is negative
     */
    public byte @Nullable [] keyAt(KeyRange range, long index) {
        if (index < 0) {
            throw new InvalidRequestException("the index is " + index + "; the first key has the index 0");
        }
        try (PinnedView view = store.parts().reads().view(open)) {
            return view.keyAt(open, range, index);
        }
    }

    /**
     * Divides a range for threads that scan it side by side. The parts are in the order of the range, have no key in common,
     * and cover exactly the range; direction and {@link KeyRange#withoutValues} are those of the range. All of them may be
     * scanned in one {@link Snapshot}, so that together they show one moment.
     *
     * <p>Parts are of roughly equal size: a {@code BPLUS} table divides at keys of its inner pages into equal numbers of
     * pages, an {@code LSM} table at keys of the block indexes of its files into equal numbers of blocks. A value that is kept
     * apart counts as much as a short one, and an {@code LSM} table counts removed entries until a compaction drops them. No
     * entry is read, and of long keys at most 4 MiB are considered. Entries that only memory has are not considered: before
     * the first flush of a table, and for a small one, the answer is the range itself. A {@code HASH} table is one part.
     *
     * @param range without a limit
     * @param parts the most parts, 1 to 1,024
     * @return 1 to {@code parts} ranges
     * @throws InvalidRequestException if the range has a limit, or {@code parts} is not 1 to 1,024
     */
    public List<KeyRange> split(KeyRange range, int parts) {
        return store.parts().reads().split(open, range, parts);
    }

    /**
     * Changes parameters while the table is in use, durably, all of them or none. Returns all parameters of the table.
     *
     * @param changes as for {@link KVStore#createTable}
     * @throws InvalidRequestException if a parameter is unknown or out of range, or is to change and is not online
     */
    public TableProperties alter(Properties changes) {
        TableSettings settings = store.settingsFor(open);
        return store.parts().schema().redefinition().alter(open, table -> settings.changed(table, changes));
    }

    /** Removes every entry at once, durably. Open snapshots and cursors still see the entries. */
    public void truncate() {
        store.parts().schema().truncate(open);
    }

    /** Writes the data that is buffered in memory to the table's files. */
    public void flush() {
        store.parts().flush(open);
    }

    /**
     * Brings the table's files into their best shape for reading, unless the progress says no. Throws what the progress throws.
     * Also ends early when the table is dropped or truncated, or with a {@code StoreClosedException} when the store is closed.
     */
    public void optimize(Progress progress) {
        store.parts().optimize(open, progress);
    }

    /** Reads every byte of the table and checks every rule of its structure. */
    public Findings verify() {
        Findings findings = new Findings();
        store.parts().verify(open, findings);
        return findings;
    }

    /** The table's figures now. */
    public TableStats stats() {
        return store.statsOf(open);
    }

    /**
     * The way to files, for a table that gets its contents from files.
     *
     * @throws InvalidRequestException if the table takes entries, as those of all engines but {@code SEALED} do
     */
    public TableFiles files() {
        return new TableFiles(store, open);
    }

    /**
     * Makes this a {@code SEALED} table with its present entries in one file. Nobody waits: readers and snapshots go on.
     *
     * @param progress is told how many entries are in the file, of all that were read; if it stops the work, nothing changes
     * @return the new table; this handle is that of a table that was dropped
     * @throws io.kvstore.error.ConditionFailedException if the table was written meanwhile; nothing has changed
     */
    public Table seal(TableFileSettings settings, Progress progress) {
        return new Table(store, Sealing.seal(store, open, settings, progress));
    }

    private boolean commitIf(Condition condition, Mutation mutation, @Nullable Durability durability) {
        Limits.key(condition.key());
        TableWrite write = new TableWrite.Fixed(open, List.of(mutation));
        Operation operation = new Operation(List.of(write), List.of(new Check(open, condition)));
        return store.parts().pipeline().commit(operation, durability).isApplied();
    }

    @Override
    public String toString() {
        return "Table[" + database() + "/" + name() + ", " + engineName() + "]";
    }
}
