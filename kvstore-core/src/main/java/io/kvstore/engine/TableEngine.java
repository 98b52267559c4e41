package io.kvstore.engine;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableProperties;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One open table: a map of byte strings, in the order of keys unless {@link TableEngineProvider#isOrdered} says otherwise.
 * The store owns locks, log and recovery. The engine owns its structure and its files.
 *
 * <h2>Calls and threads</h2>
 *
 * <ul>
 *   <li>{@link #reserve}, {@link #cancel} and {@link #apply} are called by one thread at a time, under the table's write lock,
 *       and by recovery. They touch memory only.
 *   <li>{@link #get}, {@link #read}, {@link #contains}, {@link #scan}, {@link #count} and {@link #stats} are called by any
 *       number of threads at any time, also during an apply. They take no lock that a writer holds.
 *   <li>{@link #admit} is called by writers before they take the lock, and may wait.
 *   <li>{@link #checkpoint} and {@link #flush} are called by one thread at a time, and so are {@link #optimize} and
 *       {@link #verify}. A checkpoint or flush may come while an optimize or verify is under way, and does not wait for it.
 *   <li>{@link #adopt} is called by one thread at a time, beside all other calls.
 *   <li>{@link #close} is called last, when all other calls have returned and all cursors and holds are closed.
 * </ul>
 *
 * <h2>Rules</h2>
 *
 * <ol>
 *   <li>The recovered state is exactly the operations up to {@link #durableLsn()}, and never a part of a later operation.
 *   <li>Before a commit point (superblock, manifest edit) that covers an lsn, the engine calls
 *       {@link DurabilityBarrier#beforeCommitPoint}. So no table file refers to an operation whose log record is not durable.
 *   <li>An answer is given only after {@link DurabilityBarrier#beforeAnswer} has returned for the lsn that the answer depends
 *       on, unless the view says otherwise. The engine calls it after it has copied the answer, with no lock and no epoch held.
 *   <li>Everything that an open snapshot of {@link Snapshots} can see is kept.
 *   <li>Memory and files that a reader may still hold are given back through {@link Epochs#retire}.
 * </ol>
 */
public interface TableEngine extends AutoCloseable {

    /** A long walk rests so often: a cursor that never rests holds files and layers that are replaced meanwhile. */
    int RESTS_EVERY = 1_024;

    /** The value of a key in a view, or null. */
    byte @Nullable [] get(byte[] key, ReadView view) throws IOException;

    /**
     * Passes the value of a key in a view to a reader, in a read-only buffer; null for an absent key. Returns the reader's
     * result, and throws what the reader throws. The reader is code of the user: it may throw anything, take any time, and call
     * the store again. So no lock is held meanwhile, and of {@link Epochs} only those of {@link Epochs#users}. The buffer may
     * show the value where it lies, until the reader returns, if {@link DurabilityBarrier#isPassed} says that the answer need
     * not wait. By default it shows a copy.
     */
    default <T extends @Nullable Object> T read(byte[] key, ReadView view, Function<@Nullable ByteBuffer, T> reader)
            throws IOException {
        byte[] value = get(key, view);
        return reader.apply(value == null ? null : ByteBuffer.wrap(value).asReadOnlyBuffer());
    }

    /**
     * Whether a key has a value in a view. Values that are kept apart are not read for it. An engine without an order of keys
     * has its own way.
     */
    default boolean contains(byte[] key, ReadView view) throws IOException {
        KeyRange ofKey = KeyRange.all().from(key, true).to(key, true).withoutValues();
        try (EngineCursor cursor = scan(ofKey, view)) {
            return cursor.next();
        }
    }

    /**
     * The entries of a range in a view. Honours bounds and direction, and may ignore limit and keys-only. Here, and wherever
     * the engine gets a range, {@link KeyRange#after} is null in a table with an order of keys. In any other table it may be
     * set, and there are neither bounds nor a direction. The order of such a table puts any two keys into the same order at any
     * time, whether the table has them or not.
     */
    EngineCursor scan(KeyRange range, ReadView view) throws IOException;

    /**
     * Whether a view may have an lsn below that of an applied operation, if a snapshot with that lsn is open and no operation
     * above it was durable when the snapshot was opened. Then scans do not wait for a sync.
     */
    default boolean looksBack() {
        return false;
    }

    /** How many entries a range has in a view. Counting ends at the range's limit. */
    default long count(KeyRange range, ReadView view) throws IOException {
        try (EngineCursor cursor = scan(range.withoutValues(), view)) {
            long count = 0;
            while (count < range.limit() && cursor.next()) {
                count++;
                if (count % RESTS_EVERY == 0) {
                    cursor.rest();
                }
            }
            return count;
        }
    }

    /**
     * The key of the entry that has {@code index} entries of the range before it, in the direction of the range; null if there
     * are not so many. The limit of the range has no meaning here.
     */
    default byte @Nullable [] keyAt(KeyRange range, long index, ReadView view) throws IOException {
        try (EngineCursor cursor = scan(range.limit(Long.MAX_VALUE).withoutValues(), view)) {
            for (long passed = 0; cursor.next(); passed++) {
                if (passed == index) {
                    return cursor.key();
                }
                if (passed % RESTS_EVERY == 0) {
                    cursor.rest();
                }
            }
            return null;
        }
    }

    /**
     * Ascending keys that divide a range into pieces of roughly equal size. There are from half of {@code wanted} to twice as
     * many; fewer if fewer are known without a look at entries, or if they are long: see {@link Separators}. Keys outside of
     * the range, and keys that come twice, are left out by the caller. The table need not have these keys. None by default.
     */
    default List<byte[]> separators(KeyRange range, int wanted) throws IOException {
        return List.of();
    }

    /**
     * Waits until the engine has room for {@code bytes} more, and its debt is small enough.
     *
     * @throws io.kvstore.error.OverloadedException if that takes longer than the stall time-out
     * @throws io.kvstore.error.DiskFullException if there can be no room because the disk is full
     */
    void admit(long bytes) throws IOException;

    /**
     * Takes everything that applying needs, so that {@link #apply} cannot fail. Returns null when everything is taken.
     * Otherwise it returns the I/O that is missing. The caller runs that I/O without the lock and then reserves again.
     */
    @Nullable
    Load reserve(List<Mutation> mutations) throws IOException;

    /**
     * Gives back everything that {@link #reserve} took, because the operation failed elsewhere. After reserve or apply has
     * thrown something, gives back the rest. Called by the thread that reserved. Does nothing if nothing is left.
     */
    void cancel(List<Mutation> mutations);

    /** Applies the mutations in order under one lsn, greater than any before. Of several of one key the last one wins. */
    void apply(long lsn, List<Mutation> mutations);

    /**
     * How operations of the log get into the engine when its store is opened. Called once, before anything is applied. By
     * default each operation is reserved and applied as a live write is.
     */
    default Replay replay() {
        return new DirectReplay(this);
    }

    /** Called once when the store is opened, after all operations of the log that the engine lacked were replayed. */
    default void recovered() throws IOException {
        // nothing was kept for this call
    }

    /** Makes every operation applied before the call durable without the log. Returns the new {@link #durableLsn()}. */
    long checkpoint() throws IOException;

    /**
     * Makes the checkpoint before the store is closed. It may write more than {@link #checkpoint()}, so that the table opens
     * faster. Returns the new {@link #durableLsn()}.
     */
    default long lastCheckpoint() throws IOException {
        return checkpoint();
    }

    /** The lsn up to which the table's own files hold every operation; 0 for a new table. It never decreases. */
    long durableLsn();

    /**
     * Holds the files that have the newest durable state, which is that of {@link #durableLsn} or of a checkpoint that ends
     * meanwhile. For any thread, beside all other calls. May wait for a checkpoint that is under way. The engine is open for
     * writing.
     */
    FileHold hold() throws IOException;

    /**
     * The lsn of the last operation that was applied as a whole. A thread that reads it, and opens a view of that lsn, sees all
     * of that operation. For any thread, at any time.
     */
    long appliedLsn();

    /** Writes the data that is buffered in memory to files, as {@link #checkpoint()} does, and waits for it. */
    void flush() throws IOException;

    /** Brings the files into their best shape for reading. Takes long, reports progress, and stops when told to. */
    void optimize(Progress progress) throws IOException;

    /**
     * Adopts other values of parameters that are {@linkplain io.kvstore.data.TableParameter#isOnline online}. The catalog has
     * them already. Called by one thread at a time, beside all other calls, and short: what takes long is left to background
     * work. What the engine does not adopt now, it does when it is opened next. By default nothing is adopted.
     */
    default void adopt(TableProperties properties) {
        // no parameter of the engine is online
    }

    /** The engine's figures now. Cheap. */
    EngineStats stats();

    /**
     * Reads every byte of the table and checks every rule of its structure. Calls {@link Findings#requireGoing} between any two
     * short steps, because closing the store waits for this.
     */
    void verify(Findings findings) throws IOException;

    /**
     * Passes on entries of a range that can be found though what leads to them is damaged, in any order. The table is only
     * read, and its files have all its operations. A value that is damaged is reported, with its key.
     *
     * @return how many entries were passed on
     */
    default long salvage(KeyRange range, Findings losses, BiConsumer<byte[], byte[]> receiver) throws IOException {
        return 0;
    }

    /**
     * The file that is the whole table. Null if the table has no such file, or is empty without one. It is closed with the
     * engine.
     */
    default @Nullable TableFileReader file() {
        return null;
    }

    /** Stops background work and closes files, without a checkpoint. */
    @Override
    void close() throws IOException;

    /** The I/O that must be done before an operation can be applied without I/O. */
    @FunctionalInterface
    interface Load {
        /** Does the I/O. Called without locks. */
        void run() throws IOException;
    }
}
