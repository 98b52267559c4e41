package io.kvstore.durability;

import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.wal.LogRecord;
import io.kvstore.wal.WriteAheadLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The one door for writes.
 *
 * <pre>
 *   prepare   record bytes and payload checksum, admission, log room          no lock
 *   lock      the write locks of the tables, in ascending order
 *   check     tables still the same, conditions against the latest state
 *   reserve   each engine takes what it needs; the last step that may fail
 *   log       claim an lsn and copy the record: log order is lsn order        the log's own short lock; no record, no lock
 *   apply     each engine its slice; memory only, cannot fail
 *   unlock
 *   sync      until the record is on disk, or has left the process            no lock
 * </pre>
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A table's operations are applied in lsn order, because an lsn is claimed under the table's lock.
 *   <li>What is applied is in the log before; what is acknowledged has reached its durability.
 *   <li>No I/O under a table's lock: an engine that needs some says so, everything reserved is given back, and the step
 *       starts again after the I/O.
 *   <li>A failure before the log step changes nothing. One after it fails the store, and the writer learns that its
 *       outcome is unknown.
 * </ol>
 */
public final class CommitPipeline {

    private static final long CONDITION_FAILED = Long.MIN_VALUE;
    private static final long[] NO_LSNS = {};

    private final StoreServices services;
    private final LogRoom room;

    CommitPipeline(StoreServices services, LogRoom room) {
        this.services = services;
        this.room = room;
    }

    /** The changes of one table. */
    public record TableWrite(OpenTable table, List<Mutation> mutations) {}

    /** A condition on one table. */
    public record Check(OpenTable table, Condition condition) {}

    /**
     * One operation: changes by table, each table once, in lock order; conditions, whose tables are
     * among them or not.
     */
    public record Operation(List<TableWrite> writes, List<Check> checks) {

        /** Every table it changes or looks at, in lock order. */
        List<OpenTable> tables() {
            if (writes.size() == 1 && checks.isEmpty()) {
                return List.of(writes.getFirst().table());
            }
            TreeSet<OpenTable> tables = new TreeSet<>(OpenTable.IN_LOCK_ORDER);
            writes.forEach(write -> tables.add(write.table()));
            checks.forEach(check -> tables.add(check.table()));
            return List.copyOf(tables);
        }
    }

    /** What became of an operation: the lsn, or the index of the condition that did not hold. */
    public record Committed(long lsn, int failedCheck) {
        /** Whether the operation was applied. */
        public boolean isApplied() {
            return failedCheck < 0;
        }
    }

    /** Writes the changes of one table in one operation; returns its lsn once it has reached its durability. */
    public long commit(OpenTable table, Mutation mutation, @Nullable Durability given) {
        Operation operation = new Operation(List.of(new TableWrite(table, List.of(mutation))), List.of());
        return commit(operation, given).lsn();
    }

    /**
     * Commits an operation.
     *
     * @param given the durability asked for, or null for the strongest of the changed tables
     */
    public Committed commit(Operation operation, @Nullable Durability given) {
        int ticket = services.calls().enter();
        try {
            return commitInside(operation, given);
        } finally {
            services.calls().exit(ticket);
        }
    }

    private Committed commitInside(Operation operation, @Nullable Durability given) {
        if (services.setup().readOnly()) {
            throw new InvalidRequestException("the store is open read-only and takes no writes");
        }
        boolean logged = operation.writes().getFirst().table().isLogged();
        Durability level = level(operation, logged, given);
        refuseMixedChecks(operation, logged);
        List<OpenTable> tables = operation.tables();
        while (true) {
            services.health().check();
            Attempt attempt = new Attempt(operation, tables, logged, level);
            attempt.prepare();
            long lsn = attempt.runLocked();
            if (lsn == CONDITION_FAILED) {
                return conditionFailed(operation, attempt.failedCheck);
            }
            if (lsn > 0) {
                if (logged) {
                    settle(lsn, level);
                    attempt.awaitChecked(level);
                    attempt.acknowledge(lsn, level);
                }
                return new Committed(lsn, -1);
            }
            attempt.runLoad();
        }
    }

    private static Durability level(Operation operation, boolean logged, @Nullable Durability given) {
        Durability strongest = Durability.BUFFERED;
        for (TableWrite write : operation.writes()) {
            if (write.table().isLogged() != logged) {
                throw new InvalidRequestException(
                        "a batch cannot change both tables with a log and tables without one ("
                                + write.table().name() + " and "
                                + operation.writes().getFirst().table().name()
                                + "); write them in two batches");
            }
            strongest = strongest.orStronger(write.table().durability());
        }
        if (given != null && !logged) {
            throw new InvalidRequestException(
                    "table " + operation.writes().getFirst().table().name()
                            + " has no log (ENABLE_WAL=false), so a write to it cannot be given a durability");
        }
        return given != null ? given : strongest;
    }

    private static void refuseMixedChecks(Operation operation, boolean logged) {
        for (Check check : operation.checks()) {
            if (check.table().isLogged() && !logged) {
                throw new InvalidRequestException("a change of table "
                        + operation.writes().getFirst().table().name()
                        + ", which has no log, cannot depend on a condition on table "
                        + check.table().name()
                        + ", which has one");
            }
        }
    }

    private void settle(long lsn, Durability level) {
        WriteAheadLog log = services.log();
        boolean reached = level == Durability.SYNC ? log.sync(lsn) : log.land(lsn);
        if (!reached) {
            throw outcomeUnknown(services.health().cause());
        }
    }

    private static OutcomeUnknownException outcomeUnknown(@Nullable Throwable cause) {
        return new OutcomeUnknownException(
                "the store failed while the write was made durable; it may or may not be there after the store is"
                        + " opened again",
                cause);
    }

    /** The answer that a condition fails rests on what was read, so it waits like a read. */
    private Committed conditionFailed(Operation operation, int index) {
        OpenTable table = operation.checks().get(index).table();
        services.barrierOf(table).beforeAnswer(table.lastLsn());
        return new Committed(0, index);
    }

    /** One try: ends applied, with a failed condition, or with I/O to do before the next try. */
    private final class Attempt {
        private final Operation operation;
        private final List<OpenTable> tables;
        private final boolean logged;

        /** Whether its thread may write to the table again at once if this succeeds: it has no other, and awaits no disk. */
        private final boolean goesOn;

        private final Incarnation[] incarnations;
        private @Nullable LogRecord record;
        private boolean removesOnly = true;
        private final long[] checkedLsn;
        private int failedCheck = -1;
        private TableEngine.@Nullable Load load;

        Attempt(Operation operation, List<OpenTable> tables, boolean logged, Durability level) {
            this.operation = operation;
            this.tables = tables;
            this.logged = logged;
            this.goesOn = tables.size() == 1 && !(logged && level == Durability.SYNC);
            this.incarnations = new Incarnation[operation.writes().size()];
            this.checkedLsn = operation.checks().isEmpty()
                    ? NO_LSNS
                    : new long[operation.checks().size()];
        }

        /** Everything that needs no lock. */
        void prepare() {
            for (int i = 0; i < incarnations.length; i++) {
                TableWrite write = operation.writes().get(i);
                incarnations[i] = write.table().incarnation();
                write.table().checkTakesWrites();
                admit(incarnations[i].engine(), write.mutations());
            }
            if (logged) {
                record = LogRecord.of(changes());
                room.take(record.frameBytes(), removesOnly);
            }
        }

        private List<TableMutations> changes() {
            List<TableMutations> changes = new ArrayList<>(incarnations.length);
            for (int i = 0; i < incarnations.length; i++) {
                changes.add(new TableMutations(
                        incarnations[i].id(), operation.writes().get(i).mutations()));
            }
            return changes;
        }

        private void admit(TableEngine engine, List<Mutation> mutations) {
            long bytes = 0;
            for (Mutation mutation : mutations) {
                bytes += mutation.key().length;
                if (mutation instanceof Mutation.Put put) {
                    bytes += put.value().length;
                    removesOnly = false;
                }
            }
            try {
                engine.admit(bytes);
            } catch (IOException e) {
                throw StorageErrors.of("the write", e);
            }
        }

        /** The steps under the locks; the lsn, {@link #CONDITION_FAILED}, or 0 to try again. */
        long runLocked() {
            for (OpenTable table : tables) {
                table.lock().lock();
            }
            long lsn = 0;
            try {
                if (isSame()) {
                    lsn = checksHold() ? reserveAndApply() : CONDITION_FAILED;
                }
                return lsn;
            } catch (IOException e) {
                throw StorageErrors.of("the write", e);
            } finally {
                unlock(lsn > 0);
            }
        }

        private void unlock(boolean succeeded) {
            for (int i = tables.size() - 1; i >= 0; i--) {
                TableLock lock = tables.get(i).lock();
                if (goesOn && succeeded) {
                    lock.unlockForNow();
                } else {
                    lock.unlock();
                }
            }
        }

        private boolean isSame() {
            for (int i = 0; i < incarnations.length; i++) {
                if (operation.writes().get(i).table().incarnation() != incarnations[i]) {
                    return false;
                }
            }
            return true;
        }

        private boolean checksHold() throws IOException {
            for (int i = 0; i < operation.checks().size(); i++) {
                Check check = operation.checks().get(i);
                TableEngine engine = check.table().incarnation().engine();
                Condition condition = check.condition();
                checkedLsn[i] = check.table().lastLsn();
                if (!condition.holds(engine.get(condition.key(), ReadView.LATEST_UNWAITED))) {
                    failedCheck = i;
                    return false;
                }
            }
            return true;
        }

        /** Success rests on what the conditions have read; a write of the stronger level has waited for it already. */
        void awaitChecked(Durability level) {
            try {
                for (int i = 0; level != Durability.SYNC && i < checkedLsn.length; i++) {
                    services.barrierOf(operation.checks().get(i).table()).beforeAnswer(checkedLsn[i]);
                }
            } catch (StoreFailedException e) {
                throw outcomeUnknown(e.getCause());
            }
        }

        /** Who reads a table of the stronger level from now on sees the write, and waits for it. */
        void acknowledge(long lsn, Durability level) {
            for (int i = 0; level != Durability.SYNC && i < incarnations.length; i++) {
                OpenTable table = operation.writes().get(i).table();
                if (table.durability() == Durability.SYNC) {
                    table.acknowledgedWeakly(lsn);
                }
            }
        }

        private boolean reserveAll() throws IOException {
            int reserved = 0;
            try {
                for (; reserved < incarnations.length; reserved++) {
                    load = incarnations[reserved]
                            .engine()
                            .reserve(operation.writes().get(reserved).mutations());
                    if (load != null) {
                        break;
                    }
                }
            } finally {
                if (reserved < incarnations.length) {
                    cancel(0, reserved);
                }
            }
            return reserved == incarnations.length;
        }

        private void cancel(int from, int to) {
            for (int i = from; i < to; i++) {
                incarnations[i].engine().cancel(operation.writes().get(i).mutations());
            }
        }

        private long reserveAndApply() throws IOException {
            return reserveAll() ? logAndApply() : 0;
        }

        private long logAndApply() {
            long lsn = append();
            if (lsn == WriteAheadLog.NO_ROOM) {
                cancel(0, incarnations.length);
                return 0;
            }
            int applying = 0;
            try {
                for (; applying < incarnations.length; applying++) {
                    TableWrite write = operation.writes().get(applying);
                    incarnations[applying].engine().apply(lsn, write.mutations());
                    write.table().applied(lsn);
                }
            } catch (Throwable e) {
                try {
                    services.fail(e);
                } finally {
                    cancel(applying + 1, incarnations.length);
                }
                throw new OutcomeUnknownException(
                        "the store failed while it applied a logged write; it may or may not be there after the store is"
                                + " opened again",
                        e);
            }
            return lsn;
        }

        private long append() {
            boolean appended = false;
            try {
                long lsn =
                        record == null ? services.log().claim() : services.log().append(record, removesOnly);
                appended = true;
                return lsn;
            } finally {
                if (!appended) {
                    cancel(0, incarnations.length);
                }
            }
        }

        void runLoad() {
            if (load != null) {
                try {
                    load.run();
                } catch (IOException e) {
                    throw StorageErrors.of("the write", e);
                }
            }
        }
    }
}
