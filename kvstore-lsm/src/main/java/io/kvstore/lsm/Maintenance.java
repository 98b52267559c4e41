package io.kvstore.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvstore.engine.Background;
import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.HintCounter;
import io.kvstore.engine.Measures;
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
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.OpenViews;
import io.kvstore.lsm.version.Version;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.lsm.version.VersionSet;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The table's background work: at most one flush and one compaction at a time.
 *
 * <p>Each kind of job has a {@link Turn}. The thread that gives a turn back serves those who asked for it in vain. A final
 * failure fails the store. Any other failure leaves everything as it was and is kept for {@link #failure()}. The job is tried
 * again when its result is needed: by a writer without room, by a checkpoint, or at the next full memtable.
 *
 * <p>Lock: the monitor of this object guards the watch for closed snapshots. No other work is done under it.
 */
final class Maintenance implements AutoCloseable {

    private static final long TURN_TIMEOUT_MILLIS = 3_600_000;
    private static final int LOOK_AT_ORDER_AFTER = 1 << 12;
    private static final long WATCH_MILLIS = 1_000;

    /** After a failure scans do not start the work again before this time has passed. */
    private static final long SCANS_TRY_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The least time between two flushes for scans, or else small memtables would be flushed whose values are soon dead. */
    private static final long SCANS_FLUSH_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The least time between two flushes for tombstones, or else few removals of large values would make many small files. */
    private static final long TOMBSTONES_FLUSH_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TableContext context;
    private final Supplier<LsmOptions> options;
    private final VersionSet files;
    private final VersionHistory versions;
    private final MemTableFlush flush;
    private final Compaction compaction;
    private final CompactionSchedule schedule;
    private final Damage damage;
    private final Turn flushTurn;
    private final Turn compactionTurn;
    private final BackgroundTask flushTask;
    private final BackgroundTask compactionTask;
    private final BackgroundTask awaitedTask;

    private final AtomicInteger waiting = new AtomicInteger();

    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong flushes = new AtomicLong();
    private final AtomicLong flushedBytes = new AtomicLong();
    private final AtomicLong compactions = new AtomicLong();
    private final AtomicLong compactedBytes = new AtomicLong();
    private volatile @Nullable Throwable failure;
    private volatile long failedNanos;
    private volatile long flushedForScansNanos;
    private volatile long flushedForTombstonesNanos;
    private volatile Runnable switchIfWorthwhile = () -> {};

    private final HintCounter scattered = new HintCounter();

    private volatile boolean closed;
    private volatile boolean failed;

    @GuardedBy("this")
    private Background.@Nullable Ticket watch;

    /** Files for which no compaction is due. */
    private volatile @Nullable Levels settled;

    Maintenance(TableParts parts) {
        this.context = parts.context();
        this.options = parts.options();
        this.files = parts.files();
        this.versions = parts.versions();
        this.flush = new MemTableFlush(parts, () -> closed);
        this.compaction = new Compaction(parts, () -> closed);
        this.schedule = new CompactionSchedule(parts);
        this.damage = parts.damage();
        Background background = context.background();
        this.flushTurn = new Turn(background.waiter());
        this.compactionTurn = new Turn(background.waiter());
        this.flushTask = new BackgroundTask(background, background.waiter(), () -> flushInTurn(Integer.MAX_VALUE));
        this.compactionTask = new BackgroundTask(background.longWork(), background.waiter(), this::compactOnce);
        this.awaitedTask = new BackgroundTask(background.awaitedWork(), background.waiter(), this::compactOnce);
        this.flushedForScansNanos = context.clock().nanoTime() - SCANS_FLUSH_AGAIN_NANOS;
        this.flushedForTombstonesNanos = context.clock().nanoTime() - TOMBSTONES_FLUSH_AGAIN_NANOS;
    }

    /**
     * @param switchIfWorthwhile makes the active memtable a full one if it is worth a file before it is full and no write is
     *     under way; otherwise does nothing, and is asked again later
     */
    void start(Runnable switchIfWorthwhile) {
        this.switchIfWorthwhile = switchIfWorthwhile;
        watch();
        kick();
    }

    /**
     * Watches for closed snapshots, so that entries kept only for them soon go, and for the time at which a memtable may be
     * flushed for its tombstones, even where nothing is written any more.
     */
    private synchronized void watch() {
        Version version = versions.current();
        boolean isWorthwhile = isActive() && (version.levels().hasKept() || version.isActiveHiding());
        if (isWorthwhile && watch == null) {
            watch = context.background().every(WATCH_MILLIS, () -> {
                if (versions.current().levels().isKeptInVain(OpenViews.lsns(context.snapshots()))) {
                    kick();
                } else {
                    kickFlush();
                }
            });
        } else if (!isWorthwhile && watch != null) {
            watch.close();
            watch = null;
        }
    }

    /** The tombstones of the active memtable hide much. Called by a writer, now and then. */
    void activeHides() {
        watch();
        kickFlush();
    }

    /** Starts tasks for full memtables and due compactions. The tasks find out whether there are any. */
    void kick() {
        kickFlush();
        if (!isActive()) {
            return;
        }
        if (waiting.get() > 0) {
            awaitedTask.requestAgain();
        } else {
            compactionTask.requestAgain();
        }
    }

    /** Starts a flush task if there are full memtables, or if the active one is to be flushed for scans. */
    void kickFlush() {
        if (isActive()) {
            Version version = versions.current();
            if (version.immutableCount() > 0 || isScattered(version) || isHiding(version)) {
                flushTask.requestAgain();
            }
        }
    }

    private boolean isActive() {
        return !context.readOnly() && !closed && !failed;
    }

    /** Whether the active memtable is to be flushed so that its values can be put in order. */
    private boolean isScattered(Version version) {
        return version.immutableCount() == 0
                && version.isActiveScattered(options.get().memTableBytes())
                && context.clock().nanoTime() - flushedForScansNanos >= SCANS_FLUSH_AGAIN_NANOS;
    }

    /**
     * Whether the active memtable is to be flushed for its tombstones. After a failure, as on a full disk, it keeps the room
     * that is left for removals.
     */
    private boolean isHiding(Version version) {
        return version.immutableCount() == 0
                && version.isActiveHiding()
                && failure == null
                && version.levels().fileCount(0) < options.get().level0Trigger()
                && context.clock().nanoTime() - flushedForTombstonesNanos >= TOMBSTONES_FLUSH_AGAIN_NANOS;
    }

    /** Flushes one memtable for a writer that waits, as the flush task may find no thread. Does nothing beside a flush. */
    void help() {
        if (isActive() && versions.current().immutableCount() > 0) {
            flushInTurn(1);
        }
    }

    private void flushInTurn(int most) {
        if (!flushTurn.tryTake()) {
            return;
        }
        boolean again = false;
        try {
            switchIfDue();
            for (int i = 0; i < most && !closed && !failed && flushOne(); i++) {
                again = true;
            }
        } catch (IOException | RuntimeException | Error e) {
            again = false;
            log(e);
            report(e);
        } finally {
            again |= flushTurn.giveBack();
        }
        if (again) {
            kick();
        }
    }

    /** Switches the active memtable if it is worth a file before it is full. */
    private void switchIfDue() {
        Version version = versions.current();
        boolean forScans = isScattered(version);
        if (!closed && !failed && (forScans || isHiding(version))) {
            switchIfWorthwhile.run();
            if (versions.current().immutableCount() > 0) {
                flushedForScansNanos = forScans ? context.clock().nanoTime() : flushedForScansNanos;
                flushedForTombstonesNanos = context.clock().nanoTime();
            }
        }
    }

    private boolean flushOne() throws IOException {
        if (versions.current().immutableCount() == 0) {
            return false;
        }
        long bytes = flush.run();
        failure = null;
        flushes.incrementAndGet();
        flushedBytes.addAndGet(bytes);
        context.background().waiter().signal();
        watch();
        return true;
    }

    /** Notes that a writer waits for compactions, until {@link #noLongerAwaited}. They do not wait for others' long work. */
    void awaited() {
        waiting.incrementAndGet();
        kick();
    }

    void noLongerAwaited() {
        waiting.decrementAndGet();
    }

    private void compactOnce() {
        if (!compactionTurn.tryTake()) {
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
            again |= compactionTurn.giveBack();
        }
        if (again) {
            kick();
        }
    }

    /** Whether no compaction is due for these files, so that waiting for one gains nothing. */
    boolean isSettled(Levels levels) {
        return settled == levels;
    }

    /** Notes that a cursor read the given number of values that were not near the previous one. */
    void scattered(int values) {
        scattered.add(values);
        if (scattered.get() >= LOOK_AT_ORDER_AFTER) {
            scattered.reset();
            if (failure == null || context.clock().nanoTime() - failedNanos >= SCANS_TRY_AGAIN_NANOS) {
                kick();
            }
        }
    }

    private void compact(CompactionSchedule.Job job) throws IOException {
        long bytes = runWithin(job);
        failure = null;
        compactions.incrementAndGet();
        compactedBytes.addAndGet(bytes);
        context.background().waiter().signal();
        watch();
    }

    /** On a full disk values stay where they are. Merging the entries alone may free enough room to move values later. */
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

    /**
     * Flushes full memtables on this thread until the files hold every operation up to {@code lsn}. While writers fill one
     * memtable after the other, the background does not give its turn back, and this only waits until it has come that far.
     */
    void flushThrough(long lsn) throws IOException {
        if (!takeTurn(flushTurn, () -> files.durableLsn() >= lsn)) {
            return;
        }
        try {
            while (files.durableLsn() < lsn && !closed && !failed && flushOne()) {
                // one memtable after the other
            }
        } catch (IOException | RuntimeException | Error e) {
            report(e);
            throw e;
        } finally {
            if (flushTurn.giveBack()) {
                kickFlush();
            }
        }
        kick();
        if (files.durableLsn() < lsn) {
            throw new IOException(context.directory() + " could not be flushed", failure);
        }
    }

    /**
     * Compacts on this thread until all files are in one level and dead values are gone, or until told to stop. Files with
     * newer writes are left to the background. This thread holds the turn, so it also does the background's compactions that
     * writers need meanwhile. What the caller's progress throws is no failure of the table.
     */
    void compactAll(Progress progress) throws IOException {
        takeTurn(compactionTurn, () -> false);
        boolean completed = false;
        boolean isCallersTurn = false;
        try {
            CompactionSchedule.Walk walk =
                    schedule.new Walk(versions.current(), files.durableLsn(), files.newestNumber());
            long done = 0;
            CompactionSchedule.Job job = walk.next(versions.current(), files.newestNumber());
            while (job != null && !closed && !failed) {
                isCallersTurn = true;
                boolean goesOn = progress.advanced(done, done + job.choice().bytes());
                isCallersTurn = false;
                if (!goesOn) {
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
            completed = !failed;
            isCallersTurn = true;
            progress.advanced(done, done);
        } catch (IOException | RuntimeException | Error e) {
            if (!isCallersTurn) {
                report(e);
            }
            throw e;
        } finally {
            try {
                if (!completed) {
                    schedule.giveUpOrder(versions.current()); // otherwise the work would go on in the background
                }
            } finally {
                if (compactionTurn.giveBack()) {
                    kick(); // for what was flushed meanwhile
                }
            }
        }
        if (failed) {
            throw new IOException(context.directory() + " could not be optimized", failure);
        }
    }

    /** Runs a job. Returns false if it found new damage, so that the next job is chosen without the damaged file. */
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

    /** Returns false if the job was done by others while this thread waited. */
    private boolean takeTurn(Turn turn, BooleanSupplier isDone) {
        boolean isTaken = turn.await(isDone, TURN_TIMEOUT_MILLIS);
        if (!isTaken && !isDone.getAsBoolean()) {
            throw new OverloadedException(context.directory() + ": a background job does not end; try again later");
        }
        return isTaken;
    }

    /** Records a failure. Takes no memory before the waiting threads are awake. */
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

    /** Logs the first of several failures in a row. */
    private void log(Throwable e) {
        if (failure == null && !(e instanceof StoppedException)) {
            Notices.warning(Maintenance.class, context.directory(), "a background job was given up", e);
        }
    }

    /** Why the last job failed, or null if it succeeded. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    long failures() {
        return failures.get();
    }

    /** Adds the jobs done and the bytes written, since the table was opened, to the table's figures. */
    void addTo(Measures measures) {
        measures.add("flushes", flushes.get(), "Memtables written to files since the table was opened.");
        measures.add("flushed_bytes", flushedBytes.get(), "Bytes written by flushes.");
        measures.add("compactions", compactions.get(), "Compactions since the table was opened.");
        measures.add("compacted_bytes", compactedBytes.get(), "Bytes written by compactions.");
        measures.add("failed_jobs", failures(), "Flushes and compactions that were given up.");
    }

    /** Stops the background work and waits for running jobs. Queued jobs end at once. */
    @Override
    public void close() {
        closed = true;
        try {
            watch();
        } finally {
            context.background()
                    .waiter()
                    .await(() -> !flushTurn.isTaken() && !compactionTurn.isTaken(), TURN_TIMEOUT_MILLIS);
        }
    }
}
