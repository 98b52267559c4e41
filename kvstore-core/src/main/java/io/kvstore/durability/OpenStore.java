package io.kvstore.durability;

import io.kvstore.engine.Background;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.Closing;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StorageException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.error.TableDroppedException;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageLock;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.wal.LogStats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** An open store: its parts, its repeated background work, and the order in which they are closed. */
public final class OpenStore implements AutoCloseable {

    private static final long LOG_TICK_MILLIS = 20;
    private static final long CHECKPOINT_TICK_MILLIS = 200;
    private static final long MEMORY_TICK_MILLIS = 200;

    /** How long closing waits for jobs that notice it at their next call. */
    private static final long JOBS_END_NANOS = 60_000_000_000L;

    private final StoreServices services;
    private final Schema schema;
    private final StorageLock lock;
    private final Recovery.Report report;
    private final CommitPipeline pipeline;
    private final Reads reads;
    private final LogRoom logRoom;
    private final Checkpointer checkpointer;
    private final StoreHolds holds;
    private final List<Background.Ticket> tickets;

    /** What closing does, in order. Made here, so that closing takes no memory beside its steps. */
    private final List<AutoCloseable> closingSteps;

    private final Closing closing = new Closing("not every step of closing could be done");

    /** The directories of jobs that are under way. Guarded by itself. */
    private final Set<ScratchDirectory> scratches = new HashSet<>();

    private boolean haveJobsEnded;
    private boolean closed;
    private volatile boolean hasEnded;

    OpenStore(StoreServices services, Schema schema, StorageLock lock, Recovery.Report report) {
        this.services = services;
        this.schema = schema;
        this.lock = lock;
        this.report = report;
        this.reads = new Reads(services);
        this.checkpointer = new Checkpointer(services, schema);
        this.holds = new StoreHolds(services, schema);
        this.logRoom = new LogRoom(services, checkpointer);
        this.pipeline = new CommitPipeline(services, logRoom);
        this.tickets = services.setup().readOnly() ? List.of() : startTickets();
        this.closingSteps = closingSteps();
    }

    private List<AutoCloseable> closingSteps() {
        boolean isWritten = !services.setup().readOnly();
        List<AutoCloseable> steps = new ArrayList<>();
        steps.add(this::awaitJobs);
        steps.addAll(tickets);
        steps.add(() -> services.snapshots().all().forEach(closing::attempt));
        steps.add(this::letGoHolds);
        if (isWritten && !isVolatile()) {
            steps.add(this::checkpointLast);
        }
        steps.add(checkpointer::close);
        steps.add(schema::close);
        steps.add(services.epochs()::reclaim);
        if (isWritten) {
            steps.add(() -> services.log().close());
        }
        if (services.setup().background() == null) {
            steps.add(services.background());
            steps.add(this::requireEnded);
        }
        return steps;
    }

    private List<Background.Ticket> startTickets() {
        Background background = services.background();
        List<Background.Ticket> all = new ArrayList<>();
        all.add(background.every(LOG_TICK_MILLIS, this::tickLog));
        all.add(background.every(MEMORY_TICK_MILLIS, new IdleMemory(services)::tick));
        if (!isVolatile()) {
            all.add(background.every(CHECKPOINT_TICK_MILLIS, checkpointer::tick));
        }
        return all;
    }

    /** Whether nothing of the store outlives the process. */
    public boolean isVolatile() {
        return services.storage().isVolatile();
    }

    private void tickLog() {
        Throwable cause = services.health().cause();
        if (cause != null) {
            services.fail(cause); // the log too, if a full stack kept the failure from it
        }
        services.log().tick();
        services.epochs().reclaim();
        services.calls().reclaim();
    }

    public Schema schema() {
        return schema;
    }

    public @Nullable OpenTable find(String database, String table) {
        int ticket = services.calls().enter();
        try {
            return schema.find(database, table);
        } finally {
            services.calls().exit(ticket);
        }
    }

    public CommitPipeline pipeline() {
        return pipeline;
    }

    public Reads reads() {
        return reads;
    }

    public Checkpointer checkpointer() {
        return checkpointer;
    }

    public Recovery.Report report() {
        return report;
    }

    public Health health() {
        return services.health();
    }

    public Storage storage() {
        return services.storage();
    }

    public MemoryBudget memory() {
        return services.memory();
    }

    /** The log's figures; all zero when the store is only read. */
    public LogStats logStats() {
        return services.setup().readOnly() ? LogStats.NONE : services.log().stats();
    }

    public Background.Load backgroundLoad() {
        return services.background().load();
    }

    public Set<FileSystemAbility> missingAbilities() {
        return services.storage().missingAbilities();
    }

    public long logWaits() {
        return logRoom.waits();
    }

    public long keptBytes() {
        return services.kept().bytes();
    }

    public int openSnapshots() {
        return services.snapshots().count();
    }

    public long oldestSnapshotAgeMillis() {
        return services.snapshots().oldestAgeMillis();
    }

    /** An action on the store, which is sure to stay open meanwhile. */
    @FunctionalInterface
    public interface Call<T extends @Nullable Object> {
        T run() throws IOException;
    }

    /** Runs a call. Closing the store waits for the call. */
    public <T extends @Nullable Object> T call(String what, Call<T> call) {
        return services.calls().run(what, call);
    }

    /** A long job on one engine. */
    @FunctionalInterface
    public interface Job {
        void run(TableEngine engine) throws IOException;
    }

    /** Runs a long job on a table. A table runs one such job at a time. Checkpoints do not wait for the job. */
    public void maintain(OpenTable table, String what, Job job) {
        run(table, table.maintenance(), what, job);
    }

    /** Brings the files of a table into their best shape. Stops between two steps if the store is closed or the table goes. */
    public void optimize(OpenTable table, Progress progress) {
        String what = "optimizing " + table.name();
        maintain(
                table,
                what,
                engine -> engine.optimize((done, total) -> {
                    boolean goesOn = progress.advanced(done, total);
                    if (services.calls().isClosed() && done < total) {
                        throw new StoreClosedException("the store was closed while " + what);
                    }
                    return goesOn && !table.isDropped() && isPresent(table, engine);
                }));
    }

    @SuppressWarnings("ReferenceEquality") // an engine is one incarnation of its table
    private static boolean isPresent(OpenTable table, TableEngine engine) {
        Incarnation present = table.incarnationOrNull();
        return present != null && present.engine() == engine;
    }

    public void flush(OpenTable table) {
        run(table, table.checkpointing(), "flushing " + table.name(), TableEngine::flush);
    }

    private void run(OpenTable table, Lock turn, String what, Job job) {
        call(what, () -> {
            Incarnation incarnation = table.incarnation();
            turn.lock();
            try {
                services.health().check();
                job.run(incarnation.engine());
                return null;
            } finally {
                turn.unlock();
            }
        });
    }

    /** Checks every table. A failed table is reported as a finding. */
    public Findings verify() {
        Findings findings = new Findings();
        verify(findings);
        return findings;
    }

    /** As {@link #verify()}. */
    public void verify(Findings findings) {
        for (OpenTable table : schema.all()) {
            verifyOrSay(table, findings);
        }
    }

    /** Checks a table. Closing the store ends that. */
    public void verify(OpenTable table, Findings findings) {
        maintain(table, verifying(table), engine -> engine.verify(untilClosed(table, findings)));
    }

    private static String verifying(OpenTable table) {
        return "verifying " + table.name();
    }

    private Findings untilClosed(OpenTable table, Findings findings) {
        return findings.endedBy(() -> {
            findings.requireGoing();
            if (services.calls().isClosed()) {
                throw new StoreClosedException("the store was closed while " + verifying(table));
            }
        });
    }

    private void verifyOrSay(OpenTable table, Findings findings) {
        KVStoreException failure = table.failure();
        if (failure != null) {
            findings.report(Schema.directoryOf(table.order()), -1, String.valueOf(failure.getMessage()));
            return;
        }
        try {
            maintain(table, verifying(table), engine -> {
                engine.verify(untilClosed(table, findings));
                schema.opener().checkLabel(table.info(), findings);
            });
        } catch (TableDroppedException e) {
            // the table was dropped after the list was made, so there is nothing left to check
        } catch (StorageException e) {
            if (services.setup().losses() == null) {
                throw e;
            }
            StorageErrors.requireOfDisk(e);
            findings.report(Schema.directoryOf(table.order()), -1, String.valueOf(e.getMessage()));
        }
    }

    public void checkpoint() {
        call("the checkpoint", () -> {
            if (services.setup().readOnly()) {
                throw new InvalidRequestException("the store is open read-only and makes no checkpoint");
            }
            services.health().check();
            if (!isVolatile()) {
                checkpointer.run();
            }
            return null;
        });
    }

    /**
     * Makes a checkpoint, and holds the state of the store at one moment after it. Writers go on.
     *
     * @throws InvalidRequestException if the store is read-only or in memory
     */
    public StoreHold hold() {
        return call("holding the store", () -> {
            if (services.setup().readOnly() || isVolatile()) {
                throw new InvalidRequestException(
                        services.setup().readOnly()
                                ? "the store is open read-only, and a copy needs a checkpoint; open it for writing"
                                : "a store in memory has no files to copy; copy its entries into another store");
            }
            services.health().check();
            checkpointer.run();
            return holds.take();
        });
    }

    /** A new directory for the files of a job. */
    public ScratchDirectory scratch() {
        return call("making a directory for a job", () -> ScratchDirectory.make(services, scratches));
    }

    public StoreHolds holds() {
        return holds;
    }

    /**
     * Waits for calls under way, makes a checkpoint, seals the log and closes everything. After a failure it only closes. If a
     * step fails, even with an Error, the other steps are still done. Later calls do nothing.
     *
     * @throws InvalidRequestException if close is called from inside a call, or if a call never ends; then nothing is closed
     */
    @Override
    public void close() throws IOException {
        services.calls().refuseFromInside();
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        try (closing) {
            try {
                services.calls().close(services.background().waiter());
            } catch (Error e) {
                closing.note(e);
            }
            for (int i = 0; i < closingSteps.size(); i++) {
                closing.attempt(closingSteps.get(i));
            }
            if (services.background().hasEnded() && haveJobsEnded) {
                closing.attempt(lock);
                closing.attempt(services.setup().end());
                hasEnded = true;
            }
        }
    }

    private void letGoHolds() {
        for (StoreHold hold : holds.all()) {
            try {
                hold.letGo();
            } catch (Throwable e) {
                closing.note(e);
            }
        }
    }

    private void checkpointLast() throws IOException {
        if (services.health().cause() == null) {
            checkpointer.runLast();
        }
    }

    /** Whether the store was closed, and nothing of it is used any more. */
    public boolean hasEnded() {
        return hasEnded;
    }

    /** Keeps the directory locked while a job still has files there, which the next owner would meet. */
    private void awaitJobs() throws IOException {
        haveJobsEnded = ScratchDirectory.awaitNone(scratches, JOBS_END_NANOS);
        if (!haveJobsEnded) {
            throw new IOException(
                    "a restore into the store has not ended; the directory stays locked until this process ends");
        }
    }

    /** Keeps the directory locked while background work may still write: it would meet the files of the next owner. */
    private void requireEnded() throws IOException {
        if (!services.background().hasEnded()) {
            throw new IOException(
                    "work in the background has not ended; the directory stays locked until this process ends");
        }
    }
}
