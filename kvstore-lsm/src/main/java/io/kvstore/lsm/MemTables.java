package io.kvstore.lsm;

import io.kvstore.data.EmptySpans;
import io.kvstore.data.Mutation;
import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.StoreFailedException;
import io.kvstore.lsm.compaction.TableParts;
import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.lsm.memtable.MemTableMemory;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.options.SeparatedValues;
import io.kvstore.lsm.version.Version;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.memory.MemoryHolder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The writers' side: makes room, applies operations, and switches from a full memtable to a fresh one.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A memtable is switched only between operations: never between {@link #reserve} and the {@link #apply} or
 *       {@link #endOperation} that ends it. So a memtable holds whole operations, and the memory that was reserved is in the
 *       active one.
 *   <li>{@link #lastLsn()} is raised after the whole operation is in the memtable. A reader that takes a version first and this
 *       lsn second sees every operation up to the lsn that the version can hold, whole.
 *   <li>The index of long values is changed within an operation, or between two of them.
 *   <li>At most one thread has {@link #state} at a value other than {@link #FREE}: the writer from {@link #reserve} to the end
 *       of its operation, or a thread that works between two operations. Only that thread changes the memtables and the index,
 *       and only it sets the state back to free. Other threads may turn {@link #WRITING} into {@link #SWITCH_WANTED}.
 *   <li>When applying has failed, the state stays {@link #BROKEN}: that memtable takes no more operations and is never flushed.
 * </ol>
 *
 * <p>Lock: a thread that works between two operations holds the monitor of this object, so that a writer can wait for its end.
 * The monitor of {@link VersionHistory} is taken inside. Memory operations only.
 */
final class MemTables implements MemoryHolder, AutoCloseable {

    private static final int FREE = 0;
    private static final int WRITING = 1;
    private static final int SWITCH_WANTED = 2;
    private static final int BETWEEN_OPERATIONS = 3;

    /** Half of an operation may be in the memtable. */
    private static final int BROKEN = 4;

    /** An operation that is under way ends in memory. So its end is waited for, however short a time writers wait for room. */
    private static final long OPERATION_END_MILLIS = 30_000;

    /** Of the tombstones for which a memtable is worth a file: after this part of them the background is told once more. */
    private static final int TELL_AGAIN_PART = 8;

    private final TableContext context;
    private final Supplier<LsmOptions> options;
    private final VersionHistory versions;
    private final SeparatedValues apart;
    private final Maintenance maintenance;
    private final Admission admission;
    private final AtomicLong lastLsn;
    private final BackgroundTask sorting;
    private volatile long lastTaken;

    /** With fewer tombstones the background is not told of them. For the thread that has the state. */
    private long tellAtTombstones;

    /** Whether a writer was allowed the active memtable. False after a switch that no writer asked for, as by a checkpoint. */
    private volatile boolean isAdmitted = true;

    private final AtomicInteger state = new AtomicInteger(FREE);
    private final EmptySpans gaps = new EmptySpans(() -> state.get() == FREE, this::lastLsn);

    MemTables(TableParts parts, Maintenance maintenance) {
        this.context = parts.context();
        this.sorting =
                new BackgroundTask(context.background(), context.background().waiter(), this::sortActive);
        this.options = parts.options();
        this.versions = parts.versions();
        this.apart = parts.apart();
        this.maintenance = maintenance;
        this.admission = new Admission(parts, maintenance, () -> isAdmitted);
        this.lastLsn = new AtomicLong(parts.files().durableLsn());
    }

    /** Registers this table as a holder of memory, which may be asked to give it back until {@link #close}. */
    void start() {
        if (!context.readOnly()) {
            context.memory().add(this);
        }
    }

    static MemTable fresh(TableContext context, LsmOptions options, SeparatedValues apart) {
        return new MemTable(new MemTableMemory(context.memory(), !context.readOnly()), options, apart);
    }

    void admit() {
        if (!context.readOnly()) {
            admission.admit();
        }
    }

    TableEngine.@Nullable Load reserve(List<Mutation> mutations) {
        begin();
        boolean reserved = false;
        try {
            if (!hasRoom() || apart.log().isCongested()) {
                return admission::admit;
            }
            Version version = versions.current();
            if (version.active().takeUnsorted()) {
                sorting.requestAgain(); // for entries of earlier operations
            }
            gaps.cut(mutations); // before a change of them is applied
            reserved = reserve(version, mutations);
        } catch (OutOfMemoryError e) {
            return admission.refusal(e);
        } finally {
            if (!reserved) {
                endOperation();
            }
        }
        return reserved ? null : () -> admission.awaitMemory(mutations, this::switchIfAny);
    }

    /** Whether the active memtable may take an operation. Switches a full memtable if another one may be begun. */
    private boolean hasRoom() {
        Version version = versions.current();
        boolean isFull = version.isActiveFull();
        if (context.readOnly() || (!isFull && isAdmitted)) {
            return true;
        }
        if (!admission.mayWrite(version)) {
            return false;
        }
        if (isFull) {
            switchActive();
        }
        isAdmitted = true;
        return true;
    }

    /** Reserves memory. A table with none may take a little beyond the budget, because it might never get any otherwise. */
    private boolean reserve(Version version, List<Mutation> mutations) {
        MemTable active = version.active();
        long before = active.countedBytes();
        boolean reserved = active.reserve(mutations, version.isFlushed());
        if (active.countedBytes() != before) {
            lastTaken = context.memory().everTakenBytes();
        }
        return reserved;
    }

    private void sortActive() {
        Version version = versions.pin();
        try {
            version.active().sort();
        } finally {
            version.release();
        }
    }

    /** Waits for the background sort, if it is under way. There are no operations any more. */
    @Override
    public void close() {
        try {
            context.memory().remove(this);
        } finally {
            sorting.close();
        }
    }

    /** Runs quick work while no operation is between {@link #reserve} and its end. Returns false if one is there now. */
    synchronized boolean tryBetweenOperations(Runnable work) {
        if (!state.compareAndSet(FREE, BETWEEN_OPERATIONS)) {
            return false;
        }
        try {
            work.run();
        } finally {
            state.set(FREE);
        }
        return true;
    }

    void apply(long lsn, List<Mutation> mutations) {
        boolean hides;
        try {
            Version version = versions.current();
            version.active().apply(lsn, mutations);
            lastLsn.setRelease(lsn);
            hides = version.isActiveHiding() && isToBeTold(version);
        } catch (Throwable e) {
            state.set(BROKEN);
            context.background().waiter().signal();
            throw e;
        }
        endOperation();
        if (hides) {
            tellOfTombstones();
        }
    }

    /** The operation is applied, whatever happens here. */
    private void tellOfTombstones() {
        try {
            maintenance.activeHides();
        } catch (OutOfMemoryError | StackOverflowError e) {
            // the background is told again after some more tombstones
        }
    }

    private boolean isToBeTold(Version version) {
        long tombstones = version.active().tombstones();
        boolean isToBeTold = tombstones >= tellAtTombstones;
        tellAtTombstones = isToBeTold
                ? tombstones + 1 + version.levels().worthwhileTombstones() / TELL_AGAIN_PART
                : tellAtTombstones;
        return isToBeTold;
    }

    private void begin() {
        while (!state.compareAndSet(FREE, WRITING)) {
            int now = state.get();
            if (now != FREE && now != BETWEEN_OPERATIONS) {
                throw unfinished();
            }
            awaitMonitor();
        }
    }

    private StoreFailedException unfinished() {
        return new StoreFailedException(
                context.directory()
                        + ": an operation did not come to its end in memory; close the store and open it again",
                null);
    }

    /** Waits for a thread that works between two operations. That thread holds the monitor. */
    private synchronized void awaitMonitor() {
        // nothing to do: waiting for the monitor is the point
    }

    void endOperation() {
        if (!state.compareAndSet(WRITING, FREE) && state.get() == SWITCH_WANTED) {
            try {
                switchActive();
            } catch (OutOfMemoryError | StackOverflowError e) {
                // the operation is applied all the same, and the thread that wants the switch tries it again
            } finally {
                state.set(FREE);
                context.background().waiter().signal();
            }
        }
    }

    private void switchActive() {
        if (!versions.current().active().isEmpty()) {
            apart.log().seal();
            apart.log().rest();
            apart.known().settle(); // compactions of flushed files move values, and only index buckets hear of moves
            MemTable fresh = fresh(context, options.get(), apart);
            isAdmitted = false;
            tellAtTombstones = 0;
            versions.replace(version -> version.withActive(fresh));
            maintenance.kickFlush();
        }
    }

    /** Makes the active memtable full, if it has entries. Returns when that is done. Throws if half an operation is in it. */
    void switchIfAny() {
        MemTable full = versions.current().active();
        boolean isOver = full.isEmpty();
        while (!isOver) {
            if (!tryBetweenOperations(() -> switchFrom(full))) {
                failIfBroken();
                if (state.compareAndSet(WRITING, SWITCH_WANTED) || state.get() == SWITCH_WANTED) {
                    isOver = !context.background()
                            .waiter()
                            .await(() -> state.get() != SWITCH_WANTED, OPERATION_END_MILLIS);
                    failIfBroken();
                }
            }
            isOver |= versions.current().active() != full;
        }
    }

    private void switchFrom(MemTable full) {
        if (versions.current().active() == full) {
            switchActive();
        }
    }

    @Override
    public long reclaimableBytes() {
        Version version = versions.current();
        boolean canFlush = version.immutableCount() < LsmOptions.MAX_IMMUTABLES && state.get() != BROKEN;
        return canFlush && !version.active().isEmpty() ? version.active().countedBytes() : 0;
    }

    @Override
    public long comingBytes() {
        return versions.current().immutableBytes();
    }

    @Override
    public long lastTaken() {
        return lastTaken;
    }

    /** Gives back all of the active memtable, now or at the end of the operation that is under way. */
    @Override
    public void giveBack(long bytes) {
        if (!tryBetweenOperations(this::switchActive)) {
            boolean _ = state.compareAndSet(WRITING, SWITCH_WANTED);
        }
    }

    /** Makes the active memtable a full one if it is worth a file before it is full, unless an operation is under way. */
    void switchIfWorthwhile() {
        boolean _ = tryBetweenOperations(() -> {
            Version version = versions.current();
            if (version.isActiveHiding()
                    || version.isActiveScattered(options.get().memTableBytes())) {
                switchActive();
            }
        });
    }

    private void failIfBroken() {
        if (state.get() == BROKEN) {
            throw unfinished();
        }
    }

    /** The newest operation that was applied as a whole. */
    long lastLsn() {
        return lastLsn.getAcquire();
    }

    /** The key ranges in which nothing can be seen. */
    EmptySpans gaps() {
        return gaps;
    }

    Admission admission() {
        return admission;
    }
}
