package io.kvstore.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvstore.engine.Background;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Notices;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.Shortage;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.lsm.compaction.Compaction;
import io.kvstore.lsm.compaction.CompactionSchedule;
import io.kvstore.lsm.compaction.Damage;
import io.kvstore.lsm.compaction.MemTableFlush;
import io.kvstore.lsm.compaction.StoppedException;
import io.kvstore.lsm.compaction.TableParts;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.Version;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.lsm.version.VersionSet;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The table's background work: at most one flush and one compaction at a time.
 *
 * <p>Each kind has a turn, taken by compare-and-set and given back with a signal to the waiter; it is not a lock, so that a
 * thread which waits inside a job, and runs other tasks meanwhile, never enters a job of the same kind. A failure that is
 * final fails the store. Any other leaves all as it was, is kept for {@link #failure()}, and the job is tried again when
 * somebody needs its result: a writer without room, a checkpoint, the next full memtable.
 *
 * <p>Lock: the monitor of this object guards the look at snapshots; nothing is done under it.
 */
final class Maintenance implements AutoCloseable {

    private static final long TURN_TIMEOUT_MILLIS = 3_600_000;
    private static final int LOOK_AT_ORDER_AFTER = 1 << 12;
    private static final long LOOK_AT_SNAPSHOTS_MILLIS = 1_000;

    /** What fails is not tried again for each scan. */
    private static final long SCANS_TRY_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Where writes go on, small memtables would be flushed one after the other, whose values would soon be dead. */
    private static final long SCANS_FLUSH_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final TableContext context;
    private final long memTableBytes;
    private final VersionSet files;
    private final VersionHistory versions;
    private final MemTableFlush flush;
    private final Compaction compaction;
    private final CompactionSchedule schedule;
    private final Damage damage;
    private final AtomicBoolean flushTurn = new AtomicBoolean();
    private final AtomicBoolean compactionTurn = new AtomicBoolean();
    private final AtomicBoolean flushQueued = new AtomicBoolean();
    private final AtomicBoolean compactionQueued = new AtomicBoolean();
    private final AtomicBoolean awaitedQueued = new AtomicBoolean();

    /** Writers that wait for room. */
    private final AtomicInteger waiting = new AtomicInteger();

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

    @GuardedBy("this")
    private Background.@Nullable Ticket watch;

    /** Files for which nothing is due. */
    private volatile @Nullable Levels settled;

    /** What was done since the table was opened. */
    static final class Counters {
        final AtomicLong flushes = new AtomicLong();
        final AtomicLong flushedBytes = new AtomicLong();
        final AtomicLong compactions = new AtomicLong();
        final AtomicLong compactedBytes = new AtomicLong();
    }

    Maintenance(TableParts parts) {
        this.context = parts.context();
        this.memTableBytes = parts.options().memTableBytes();
        this.files = parts.files();
        this.versions = parts.versions();
        this.flush = new MemTableFlush(parts, () -> closed);
        this.compaction = new Compaction(parts, () -> closed);
        this.schedule = new CompactionSchedule(parts);
        this.damage = parts.damage();
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
        watchSnapshots();
        kick();
    }

    /** What was kept for snapshots only goes soon after they are closed, also where nothing is written any more. */
    private synchronized void watchSnapshots() {
        boolean isWorthwhile = isActive() && versions.current().levels().hasKept();
        if (isWorthwhile && watch == null) {
            watch = context.background().every(LOOK_AT_SNAPSHOTS_MILLIS, () -> {
                if (versions.current().levels().isKeptInVain(context.snapshots().openLsns())) {
                    kick();
                }
            });
        } else if (!isWorthwhile && watch != null) {
            watch.close();
            watch = null;
        }
    }

    /** Has full memtables flushed and due compactions made, if there are any: the tasks find out. */
    void kick() {
        kickFlush();
        if (!isActive()) {
            return;
        }
        if (waiting.get() > 0) {
            context.background().awaitedWork().executeOnce(awaitedQueued, this::awaitedTask);
        } else {
            context.background().longWork().executeOnce(compactionQueued, this::compactionTask);
        }
    }

    /** Has full memtables flushed, if there are any. */
    void kickFlush() {
        if (isActive()) {
            Version version = versions.current();
            if (version.immutableCount() > 0 || isScattered(version)) {
                context.background().executeOnce(flushQueued, this::flushTask);
            }
        }
    }

    private boolean isActive() {
        return !context.readOnly() && !closed && !failed;
    }

    /** Whether the active memtable is to be flushed so that its values can be put in order. */
    private boolean isScattered(Version version) {
        return version.immutableCount() == 0
                && version.isActiveScattered(memTableBytes)
                && context.clock().nanoTime() - flushedForScansNanos >= SCANS_FLUSH_AGAIN_NANOS;
    }

    private void flushTask() {
        flushQueued.set(false);
        flushInTurn(Integer.MAX_VALUE);
    }

    /** For a writer that waits in vain: the task may find no thread, or stand behind others. Does nothing if it runs. */
    void help() {
        if (isActive() && versions.current().immutableCount() > 0) {
            flushInTurn(1);
        }
    }

    private void flushInTurn(int most) {
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
            for (int i = 0; i < most && !closed && !failed && flushOne(); i++) {
                succeeded = true;
            }
        } catch (IOException | RuntimeException | Error e) {
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
        watchSnapshots();
        return true;
    }

    /** Writers wait for what is done from now on, until {@link #noLongerAwaited}: it does not wait for long work of others. */
    void awaited() {
        waiting.incrementAndGet();
        kick();
    }

    void noLongerAwaited() {
        waiting.decrementAndGet();
    }

    private void awaitedTask() {
        awaitedQueued.set(false);
        compactOnce();
    }

    private void compactionTask() {
        compactionQueued.set(false);
        compactOnce();
    }

    private void compactOnce() {
        if (!compactionTurn.compareAndSet(false, true)) {
            return;
        }
        boolean again = false;
        try {
            Version version = versions.current();
            CompactionSchedule.Job job = closed || failed ? null : schedule.due(version);
            settled = job == null ? version.levels() : null;
            if (job != null) {
                compactOrSkip(job);
                again = true;
            }
        } catch (IOException | RuntimeException | Error e) {
            log(e);
            report(e);
            schedule.giveUpOrder(versions.current());
        } finally {
            giveBack(compactionTurn);
        }
        if (again) {
            kick();
        }
    }

    /** Whether the files are as they stay: nothing is gained by waiting for a compaction. */
    boolean isSettled(Levels levels) {
        return settled == levels;
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

    private void compact(CompactionSchedule.Job job) throws IOException {
        long bytes = runWithin(job);
        failure = null;
        counters.compactions.incrementAndGet();
        counters.compactedBytes.addAndGet(bytes);
        context.background().waiter().signal();
        watchSnapshots();
    }

    /** On a full disk values stay where they are: what the pointers alone bring may be room enough for them later. */
    private long runWithin(CompactionSchedule.Job job) throws IOException {
        try {
            return compaction.run(job.choice(), job.emptied());
        } catch (NoSpaceException e) {
            if (job.choice().level() == job.choice().outputLevel()) {
                throw e;
            }
            return compaction.run(job.choice(), null);
        }
    }

    /** Flushes full memtables on this thread until the files hold every operation up to {@code lsn}. */
    void flushThrough(long lsn) throws IOException {
        takeTurn(flushTurn);
        try {
            while (files.durableLsn() < lsn && !closed && !failed && flushOne()) {
                // one memtable after the other
            }
        } catch (IOException | RuntimeException | Error e) {
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

    /**
     * Compacts on this thread until all files are in one level and dead values are gone, or until told to stop. What is written
     * meanwhile is left to the background, whose work is done here when writers need it, because the turn is taken.
     */
    void compactAll(Progress progress) throws IOException {
        takeTurn(compactionTurn);
        boolean completed = false;
        try {
            CompactionSchedule.Walk walk =
                    schedule.new Walk(versions.current(), files.durableLsn(), files.newestNumber());
            long done = 0;
            CompactionSchedule.Job job = walk.next(versions.current(), files.newestNumber());
            while (job != null && !closed && !failed) {
                if (!progress.advanced(done, done + job.choice().bytes())) {
                    return;
                }
                if (compactOrSkip(job)) {
                    done += job.choice().bytes();
                }
                CompactionSchedule.Job urgent = walk.urgent(versions.current());
                if (urgent != null) {
                    compactOrSkip(urgent);
                }
                job = walk.next(versions.current(), files.newestNumber());
            }
            progress.advanced(done, done);
            completed = true;
        } catch (IOException | RuntimeException | Error e) {
            report(e);
            throw e;
        } finally {
            try {
                if (!completed) {
                    schedule.giveUpOrder(versions.current()); // or else it would go on in the background
                }
            } finally {
                giveBack(compactionTurn);
            }
        }
    }

    /** False if damage was met that was not known: what is next is chosen without that file. */
    private boolean compactOrSkip(CompactionSchedule.Job job) throws IOException {
        try {
            compact(job);
            return true;
        } catch (CorruptionException e) {
            if (!damage.note(job.choice(), e)) {
                throw e;
            }
            return false;
        }
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

    /** Takes no memory before those who wait are awake. */
    private void report(Throwable e) {
        failure = e;
        failures.incrementAndGet();
        if (e instanceof UncertainOutcomeException || !mayPass(e)) {
            failed = true;
            context.failures().fail(e);
        }
        context.background().waiter().signal();
        failedNanos = context.clock().nanoTime();
    }

    private static boolean mayPass(Throwable e) {
        return e instanceof IOException || e instanceof KVStoreException || Shortage.isCauseOf(e);
    }

    /** The first failure of several in a row. */
    private void log(Throwable e) {
        if (failure == null && !(e instanceof StoppedException)) {
            Notices.warning(Maintenance.class, context.directory(), "a background job was given up", e);
        }
    }

    /** Why the last job failed, or null if it did not. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** How many jobs failed. */
    long failures() {
        return failures.get();
    }

    Counters counters() {
        return counters;
    }

    /** Stops: waits for running jobs; those that are queued end at once. */
    @Override
    public void close() {
        closed = true;
        try {
            watchSnapshots();
        } finally {
            context.background().waiter().await(() -> !flushTurn.get() && !compactionTurn.get(), TURN_TIMEOUT_MILLIS);
        }
    }
}
