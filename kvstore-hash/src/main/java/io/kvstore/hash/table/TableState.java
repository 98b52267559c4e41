package io.kvstore.hash.table;

import io.kvstore.engine.ParallelReads;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.hash.index.Directory;
import io.kvstore.hash.index.TableHash;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a hash table, and the lock under which they change.
 *
 * <h2>The lock</h2>
 *
 * <p>A writer has it from its reservation until it has applied. Checkpoints, relocation and cursors take it for moments, to
 * copy a page or to move a few records. A get never takes it. A thread that has it reads and writes no file.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A key with a value has one entry in the index, or its newest change is pending.
 *   <li>An operation is applied as a whole when {@link #appliedLsn} has its lsn. Until then no reader shows any of it: it looks
 *       at records up to the lsn that it read first, and finds those that were replaced meanwhile in the history.
 *   <li>While the operation of a change is not applied as a whole, or there is or may come a view that does not see it, the
 *       place that it replaced is in the history.
 *   <li>A change of the index is in {@link #changes} until a durable index file has it.
 * </ol>
 */
public final class TableState implements AutoCloseable {

    private final TableContext context;
    private final TableHash hash;
    private final Directory directory;
    private final Records records;
    private final PendingChanges pending = new PendingChanges();
    private final History history;
    private final IndexChanges changes = new IndexChanges();
    private final Removals removals = new Removals();
    private final ViewCounts viewCounts = new ViewCounts();
    private final ParallelReads files;
    private final Looks looks;
    private final Settling settling;
    private final HistoryRoom historyRoom;
    private final IndexRoom indexRoom;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean isTorn;

    /** Written with release. The lock that is given back then makes it visible to all. */
    private final AtomicLong appliedLsn;

    /** Written with release, before the first record of the operation is added. */
    private final AtomicLong begunLsn = new AtomicLong();

    public TableState(TableContext context, TableHash hash, Directory directory, ValueStore values, long lsn) {
        this.context = context;
        this.hash = hash;
        this.directory = directory;
        this.records = new Records(values);
        this.history = new History(context.memory());
        this.files = new ParallelReads(context.background(), context.clock());
        this.looks = new Looks(records, files, context);
        this.appliedLsn = new AtomicLong(lsn);
        this.settling = new Settling(this);
        this.historyRoom = new HistoryRoom(this);
        this.indexRoom = new IndexRoom(this);
    }

    public TableContext context() {
        return context;
    }

    public TableHash hash() {
        return hash;
    }

    public Directory directory() {
        return directory;
    }

    public Records records() {
        return records;
    }

    public IndexChanges changes() {
        return changes;
    }

    public ReentrantLock lock() {
        return lock;
    }

    PendingChanges pending() {
        return pending;
    }

    History history() {
        return history;
    }

    public HistoryRoom historyRoom() {
        return historyRoom;
    }

    IndexRoom indexRoom() {
        return indexRoom;
    }

    Removals removals() {
        return removals;
    }

    ViewCounts viewCounts() {
        return viewCounts;
    }

    /** For records that are not in memory. */
    ParallelReads files() {
        return files;
    }

    Looks looks() {
        return looks;
    }

    Settling settling() {
        return settling;
    }

    /** Notes that changes ended halfway, by an error that should be impossible. The store fails, and nothing is written. */
    void tear(String message) {
        isTorn = true; // first: there may be no memory for an exception
        context.failures().fail(new IllegalStateException(message));
    }

    /** Checked before the state is changed further, made durable or given back. */
    public void requireWhole() {
        if (isTorn) {
            throw new StoreFailedException(
                    context.directory() + ": a change ended halfway; close the store and open it again", null);
        }
    }

    /** Called with the lock after segments may have gone: those before the first one, whose places may come again some day. */
    public void noteFirstSegment() {
        if (records.noteFirst()) {
            looks.forgetGone();
        }
    }

    /** Forgets what was read for operations that do not come again. Called now and then, by any thread. */
    public void forgetAbandoned() {
        looks.forgetAbandoned();
    }

    /** Replay of the log has ended. */
    public void recovered() {
        looks.recovered();
    }

    /** The last operation that was applied as a whole. */
    public long appliedLsn() {
        return appliedLsn.getAcquire();
    }

    void applied(long lsn) {
        appliedLsn.setRelease(lsn);
    }

    void begun(long lsn) {
        begunLsn.setRelease(lsn);
    }

    /** No record has a greater lsn, if it was found before this is asked. A view would never show such a record. */
    public long newestLsn() {
        return Math.max(begunLsn.getAcquire(), appliedLsn.getAcquire());
    }

    /** Called with the lsn of a sound record to which an entry leads. Throws if no operation had it. */
    void requireBegun(long place, long lsn) {
        long newest = newestLsn();
        if (lsn > newest) {
            throw new CorruptionException(
                    records.path(place),
                    records.offsetOf(place),
                    "a record has lsn " + lsn + ", and the newest operation of the table has " + newest);
        }
    }

    /**
     * Does work in memory with the lock, while no change is pending. No operation is under way meanwhile.
     *
     * @param <T> the type of the result
     */
    public <T> T settled(Supplier<T> work) throws IOException {
        while (true) {
            TableEngine.@Nullable Load load;
            lock.lock();
            try {
                load = settling.settle();
                if (load == null) {
                    return work.get();
                }
            } finally {
                lock.unlock();
            }
            load.run();
        }
    }

    /** The views now, with the lock. What is durable is looked at first: a view that is opened later sees that. */
    Views views() {
        long passed = Math.min(appliedLsn(), context.barrier().passedLsn());
        return new Views(passed, context.snapshots().openLsns());
    }

    /** How many entries a view has, and the lsn on which that rests. */
    public record Count(long entries, long lsn) {}

    /** Counts the entries that a view sees, which is open or the newest one. */
    public Count count(long viewLsn) throws IOException {
        return settled(() -> {
            long lsn = Math.min(viewLsn, appliedLsn());
            return new Count(viewCounts.of(lsn, directory.entries()), lsn);
        });
    }

    /** Whether changes are pending. What they replace counts as alive. */
    public boolean hasPending() {
        return !pending.isEmpty();
    }

    /** Bytes of values that the pending changes brought. They may replace as many that count as alive. */
    public long pendingValueBytes() {
        return pending.valueBytes();
    }

    public long historyBytes() {
        return history.bytes();
    }

    public long coldProbes() {
        return looks.reads();
    }

    /**
     * Forgets the old places that no view may show. Without the lock: it is taken for a few lists of places at a time, and
     * writers go on in between.
     */
    public void forgetOld() {
        for (int list = 0; list < History.LISTS; ) {
            lock.lock();
            try {
                requireWhole();
                Views views = views();
                list = history.forget(list, views);
                viewCounts.forget(views);
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Chooses segments that no open view needs, with the lock. Views that are opened later need none of them. They are those in
     * which no old place lies, so {@link #forgetOld} goes before.
     *
     * @param numbers of segments to which the index does not lead
     */
    public List<Long> unneeded(Collection<Long> numbers) {
        requireWhole();
        return numbers.stream()
                .filter(number -> !history.hasAnyIn(Places.segmentBits(Places.of(number, 0))))
                .toList();
    }

    /** Gives memory back to the budget. No thread may use the table any more. */
    @Override
    public void close() {
        try (directory) {
            history.close();
        }
    }
}
