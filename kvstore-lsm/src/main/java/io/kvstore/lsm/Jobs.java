package io.kvstore.lsm;

import io.kvstore.engine.Progress;
import io.kvstore.engine.TableContext;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.value.ValueGarbage;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The table's background work: at most one flush and one compaction at a time.
 *
 * <p>Each kind has a turn, taken by compare-and-set and given back with a signal to the waiter; it is not a lock, so that a
 * thread which waits inside a job, and runs other tasks meanwhile, never enters a job of the same kind. A failure that is
 * final fails the store. Any other leaves all as it was, is kept for {@link #failure()}, and the job is tried again when
 * somebody needs its result: a writer without room, a checkpoint, the next full memtable.
 */
final class Jobs {

    private static final System.Logger LOG = System.getLogger(Jobs.class.getName());
    private static final long TURN_TIMEOUT_MILLIS = 3_600_000;
    private static final int LOOK_AT_ORDER_AFTER = 1 << 12;

    /** What fails is not tried again for each scan. */
    private static final long SCANS_TRY_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Where writes go on, small memtables would be flushed one after the other, whose values would soon be dead. */
    private static final long SCANS_FLUSH_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final TableContext context;
    private final long memTableBytes;
    private final FileSet files;
    private final Versions versions;
    private final MemTableFlush flush;
    private final Compaction compaction;
    private final CompactionPicker picker;
    private final ValueGarbage garbage;
    private final Clustering clustering;
    private final AtomicBoolean flushTurn = new AtomicBoolean();
    private final AtomicBoolean compactionTurn = new AtomicBoolean();
    private final AtomicBoolean flushQueued = new AtomicBoolean();
    private final AtomicBoolean compactionQueued = new AtomicBoolean();
    private final AtomicLong failures = new AtomicLong();
    private final Counters counters = new Counters();
    private volatile @Nullable Throwable failure;
    private volatile long failedNanos;
    private volatile long flushedForScansNanos;
    private volatile Runnable switchIfScattered = () -> {};

    /** Changed by all readers without a lock: a hint, some of them are lost. */
    private int scattered;

    private volatile boolean closed;
    private volatile boolean failed;

    /** What was done since the table was opened. */
    static final class Counters {
        final AtomicLong flushes = new AtomicLong();
        final AtomicLong flushedBytes = new AtomicLong();
        final AtomicLong compactions = new AtomicLong();
        final AtomicLong compactedBytes = new AtomicLong();
    }

    Jobs(TableParts parts) {
        this.context = parts.context();
        this.memTableBytes = parts.options().memTableBytes();
        this.files = parts.files();
        this.versions = parts.versions();
        this.flush = new MemTableFlush(parts, () -> closed);
        this.compaction = new Compaction(parts, () -> closed);
        this.picker = new CompactionPicker(parts.options());
        this.garbage = ValueGarbage.knownLate(parts.options().segmentBytes());
        this.clustering = new Clustering(parts.options().segmentBytes(), garbage);
        this.flushedForScansNanos = context.clock().nanoTime() - SCANS_FLUSH_AGAIN_NANOS;
    }

    /**
     * From now on jobs are done that are due.
     *
     * @param switchIfScattered makes the active memtable a full one, if scans wait for its values and nobody is writing; they
     *     ask again
     */
    void start(Runnable switchIfScattered) {
        this.switchIfScattered = switchIfScattered;
        kick();
    }

    /** Has full memtables flushed and due compactions made, if there are any. */
    void kick() {
        if (context.readOnly() || closed || failed) {
            return;
        }
        Version version = versions.current();
        boolean isFlushDue = version.immutableCount() > 0 || isScattered(version);
        if (isFlushDue) {
            context.background().executeOnce(flushQueued, this::flushTask);
        }
        if (due(version, emptied(version)) != null) {
            context.background().executeLongOnce(compactionQueued, this::compactionTask);
        }
    }

    /** Whether the active memtable is to be flushed so that its values can be put in order. */
    private boolean isScattered(Version version) {
        return version.immutableCount() == 0
                && version.isActiveScattered(memTableBytes)
                && context.clock().nanoTime() - flushedForScansNanos >= SCANS_FLUSH_AGAIN_NANOS;
    }

    private void flushTask() {
        flushQueued.set(false);
        if (!flushTurn.compareAndSet(false, true)) {
            return;
        }
        boolean succeeded = false;
        try {
            if (!closed && !failed && isScattered(versions.current())) {
                switchIfScattered.run();
                if (versions.current().immutableCount() > 0) {
                    flushedForScansNanos = context.clock().nanoTime();
                }
            }
            while (!closed && !failed && flushOne()) {
                succeeded = true;
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            succeeded = false;
            log(e);
            report(e);
        } finally {
            giveBack(flushTurn);
        }
        if (succeeded) {
            kick();
        }
    }

    private boolean flushOne() throws IOException {
        if (versions.current().immutableCount() == 0) {
            return false;
        }
        long bytes = flush.run();
        failure = null;
        counters.flushes.incrementAndGet();
        counters.flushedBytes.addAndGet(bytes);
        context.background().waiter().signal();
        return true;
    }

    private void compactionTask() {
        compactionQueued.set(false);
        if (!compactionTurn.compareAndSet(false, true)) {
            return;
        }
        boolean succeeded = false;
        try {
            Version version = versions.current();
            Set<Long> emptied = emptied(version);
            CompactionPicker.Choice choice = closed || failed ? null : due(version, emptied);
            if (choice != null) {
                compact(choice, emptied);
                succeeded = true;
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            clustering.giveUp(versions.current().values());
            log(e);
            report(e);
        } finally {
            giveBack(compactionTurn);
        }
        if (succeeded) {
            kick();
        }
    }

    /** What to compact next: what keeps the levels in shape, or else what brings back space or puts values in order. */
    private CompactionPicker.@Nullable Choice due(Version version, Set<Long> emptied) {
        CompactionPicker.Choice choice = picker.pick(version.levels().infos());
        if (choice == null && version.isFlushed() && mayHideGarbage(version.levels())) {
            choice = picker.of(version.levels().infos(), 0);
        }
        return choice != null
                ? choice
                : ValueMoves.pick(picker, version.levels().files(), emptied);
    }

    /**
     * Whether too much may be dead of what seems to be alive, because level 0 has not met what it overwrites. While writes go
     * on, the next files of level 0 settle that soon.
     */
    private boolean mayHideGarbage(Levels levels) {
        long least = ValueMoves.leastLiveBytes(levels.files());
        return levels.fileCount(0) > 0 && garbage.mayHideTooMuch(levels.values().liveBytes() - least, least);
    }

    private Set<Long> emptied(Version version) {
        return withClustering(garbage.due(version.values().segments()), version);
    }

    private Set<Long> withClustering(Set<Long> dead, Version version) {
        Set<Long> emptied = new HashSet<>(dead);
        emptied.addAll(clustering.due(version));
        return emptied;
    }

    /** A cursor read so many values that were not near the one before. */
    void scattered(int values) {
        scattered += values;
        if (scattered >= LOOK_AT_ORDER_AFTER) {
            scattered = 0;
            if (failure == null || context.clock().nanoTime() - failedNanos >= SCANS_TRY_AGAIN_NANOS) {
                kick();
            }
        }
    }

    private void compact(CompactionPicker.Choice choice, Set<Long> emptied) throws IOException {
        long bytes = compaction.run(choice, emptied);
        failure = null;
        counters.compactions.incrementAndGet();
        counters.compactedBytes.addAndGet(bytes);
    }

    /** Flushes full memtables on this thread until the files hold every operation up to {@code lsn}. */
    void flushThrough(long lsn) throws IOException {
        takeTurn(flushTurn);
        try {
            while (files.durableLsn() < lsn && !closed && !failed && flushOne()) {
                // one memtable after the other
            }
        } catch (IOException | RuntimeException e) {
            report(e);
            throw e;
        } finally {
            giveBack(flushTurn);
        }
        kick();
        if (files.durableLsn() < lsn) {
            throw new IOException(context.directory() + " could not be flushed", failure);
        }
    }

    /** Compacts on this thread until all files are in one level and dead values are gone, or until told to stop. */
    void compactAll(Progress progress) throws IOException {
        takeTurn(compactionTurn);
        boolean completed = false;
        try {
            long last = files.newestNumber();
            long done = 0;
            clustering.wantAll(versions.current().values());
            Set<Long> emptied = worthwhile(versions.current());
            CompactionPicker.Choice choice = next(versions.current(), last, emptied);
            while (choice != null && !closed && !failed) {
                if (!progress.advanced(done, done + choice.bytes())) {
                    return;
                }
                compact(choice, emptied);
                done += choice.bytes();
                emptied = worthwhile(versions.current());
                choice = next(versions.current(), last, emptied);
            }
            progress.advanced(done, done);
            completed = true;
        } catch (IOException | RuntimeException e) {
            report(e);
            throw e;
        } finally {
            if (!completed) {
                clustering.giveUp(versions.current().values()); // or else it would go on in the background
            }
            giveBack(compactionTurn);
        }
    }

    private CompactionPicker.@Nullable Choice next(Version version, long last, Set<Long> emptied) {
        CompactionPicker.Choice choice = picker.pickFull(version.levels().infos(), last);
        return choice != null
                ? choice
                : ValueMoves.pick(picker, version.levels().files(), emptied);
    }

    private Set<Long> worthwhile(Version version) {
        return withClustering(garbage.worthwhile(version.values().segments()), version);
    }

    private void takeTurn(AtomicBoolean turn) {
        while (!turn.compareAndSet(false, true)) {
            if (!context.background().waiter().await(() -> !turn.get(), TURN_TIMEOUT_MILLIS)) {
                throw new OverloadedException(context.directory() + ": a background job does not end; try again later");
            }
        }
    }

    private void giveBack(AtomicBoolean turn) {
        turn.set(false);
        context.background().waiter().signal();
    }

    private void report(Throwable e) {
        failedNanos = context.clock().nanoTime();
        failure = e;
        failures.incrementAndGet();
        boolean mayPass = e instanceof IOException || e instanceof KVStoreException || e instanceof OutOfMemoryError;
        if (e instanceof FinalFailureException || !mayPass) {
            failed = true;
            context.failures().fail(e);
        }
        context.background().waiter().signal();
    }

    /** The first failure of several in a row. */
    private void log(Throwable e) {
        if (failure == null && !(e instanceof StoppedException)) {
            LOG.log(System.Logger.Level.WARNING, context.directory() + ": a background job was given up: " + e);
        }
    }

    /** Why the last job failed, or null if it did not. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Whether the disk was full when the last job failed. */
    boolean isDiskFull() {
        return failure instanceof NoSpaceException;
    }

    /** How many jobs failed. */
    long failures() {
        return failures.get();
    }

    Counters counters() {
        return counters;
    }

    /** Stops: waits for running jobs; those that are queued end at once. */
    void close() {
        closed = true;
        context.background().waiter().await(() -> !flushTurn.get() && !compactionTurn.get(), TURN_TIMEOUT_MILLIS);
    }
}
