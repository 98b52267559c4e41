package io.kvstore.durability;

import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StackProbe;
import io.kvstore.error.StoreFailedException;
import io.kvstore.wal.WriteAheadLog;
import io.kvstore.wal.format.LogRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The one way in which writes enter the store. {@code docs/design/write-path.md} has the steps of an operation, its states and
 * the invariants. An operation has the locks of all its tables, taken in ascending order, and no I/O is done under them.
 *
 * <p>After a throwable, locks and reservations are given back where the stack has as much room as before the locks were taken.
 * That room is {@linkplain StackProbe checked} first.
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

    public record TableWrite(OpenTable table, List<Mutation> mutations) {}

    public record Check(OpenTable table, Condition condition) {}

    /** One operation: changes by table in lock order, each table once, and conditions, on tables that it changes or not. */
    public record Operation(List<TableWrite> writes, List<Check> checks) {

        /** Every table that the operation changes or checks, in lock order. */
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

    /** The result of an operation: its lsn, or the index of the condition that did not hold. */
    public record Committed(long lsn, int failedCheck) {
        public boolean isApplied() {
            return failedCheck < 0;
        }
    }

    /** Writes one change of one table as an operation. Returns its lsn once it has reached its durability. */
    public long commit(OpenTable table, Mutation mutation, @Nullable Durability given) {
        Operation operation = new Operation(List.of(new TableWrite(table, List.of(mutation))), List.of());
        return commit(operation, given).lsn();
    }

    /** @param given the requested durability, or null for the strongest of the changed tables */
    public Committed commit(Operation operation, @Nullable Durability given) {
        StackProbe.run();
        int ticket = services.calls().enter();
        try {
            refuseReadOnly();
            boolean logged = operation.writes().getFirst().table().isLogged();
            Durability level = level(operation, logged, given);
            refuseMixedChecks(operation, logged);
            List<OpenTable> tables = operation.tables();
            while (true) {
                services.health().check();
                Attempt attempt = new Attempt(operation, tables, logged, level);
                attempt.prepare();
                long lsn;
                try {
                    lsn = attempt.run();
                } catch (Throwable e) {
                    attempt.giveBack(e); // once more here, where the stack has more room
                    throw e;
                }
                if (lsn == CONDITION_FAILED) {
                    return conditionFailed(operation, attempt.failedCheck);
                }
                if (lsn > 0) {
                    attempt.finish(lsn, level);
                    return new Committed(lsn, -1);
                }
                attempt.runLoad();
            }
        } finally {
            services.calls().exit(ticket);
        }
    }

    private void refuseReadOnly() {
        if (services.setup().readOnly()) {
            throw new InvalidRequestException("the store is open read-only and takes no writes");
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
        boolean reached;
        try {
            reached = level == Durability.SYNC ? log.sync(lsn) : log.land(lsn);
        } catch (Error e) {
            throw outcomeUnknown(e);
        }
        if (!reached) {
            throw outcomeUnknown(services.health().cause());
        }
    }

    private static OutcomeUnknownException outcomeUnknown(@Nullable Throwable cause) {
        return new OutcomeUnknownException(
                "something failed while the write was made durable; it may or may not be there after the store is"
                        + " opened again",
                cause);
    }

    /** The answer that a condition failed rests on the table's state, so it waits like a read. */
    private Committed conditionFailed(Operation operation, int index) {
        OpenTable table = operation.checks().get(index).table();
        services.barrierOf(table).beforeAnswer(table.lastLsn());
        return new Committed(0, index);
    }

    /** One attempt. It ends with the operation applied, with a failed condition, or with I/O to do before the next attempt. */
    private final class Attempt {
        private final Operation operation;
        private final List<OpenTable> tables;
        private final boolean logged;

        /** Whether the thread may write to the table again at once on success: one table is locked, no sync is awaited. */
        private final boolean goesOn;

        private final Incarnation[] incarnations;
        private @Nullable LogRecord record;
        private boolean removesOnly = true;
        private final long[] checkedLsn;

        /** How many engines have reserved, or began to. {@link #applied} of them have applied. */
        private int reserving;

        private int applied;

        /** Whether the log may hold a record that an engine has not applied. */
        private boolean mayBeLogged;

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

        /** Does everything that needs no lock. */
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

        /** Runs the steps under the locks. Returns the lsn, {@link #CONDITION_FAILED}, or 0 to try again. */
        long run() {
            try {
                for (OpenTable table : tables) {
                    table.lock().lock();
                }
                long lsn = 0;
                if (isSame()) {
                    lsn = checksHold() ? reserveAndApply() : CONDITION_FAILED;
                }
                unlock(lsn > 0);
                return lsn;
            } catch (IOException e) {
                giveBack(e);
                throw StorageErrors.of("the write", e);
            } catch (Throwable e) {
                giveBack(e);
                if (mayBeLogged && !(e instanceof OutcomeUnknownException)) {
                    throw new OutcomeUnknownException(
                            "the store failed while it applied a logged write; it may or may not be there after the store"
                                    + " is opened again",
                            e);
                }
                throw e;
            }
        }

        /**
         * Cleans up after a throwable: fails the store if it must, and gives back the locks and reservations that this thread
         * still has. Does nothing if that was done before.
         */
        private void giveBack(Throwable cause) {
            try {
                if (mayBeLogged) {
                    failLogged(cause);
                }
            } finally {
                try {
                    cancel();
                } finally {
                    for (int i = tables.size() - 1; i >= 0; i--) {
                        tables.get(i).lock().unlockIfMine();
                    }
                }
            }
        }

        private void failLogged(Throwable cause) {
            try {
                services.fail(cause);
            } finally {
                services.log().unlockIfMine();
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

        /** Waits until the operation and the state that its conditions have read have reached their durability. */
        void finish(long lsn, Durability level) {
            if (logged) {
                settle(lsn, level);
                awaitChecked(level);
                acknowledge(lsn, level);
            }
        }

        /** Waits for the state that the conditions read, on which success rests. A {@code SYNC} write has done so already. */
        private void awaitChecked(Durability level) {
            try {
                for (int i = 0; level != Durability.SYNC && i < checkedLsn.length; i++) {
                    services.barrierOf(operation.checks().get(i).table()).beforeAnswer(checkedLsn[i]);
                }
            } catch (StoreFailedException e) {
                throw outcomeUnknown(e.getCause());
            }
        }

        /** Notes the lsn in {@code SYNC} tables: a reader that sees the write from now on waits until it is durable. */
        private void acknowledge(long lsn, Durability level) {
            for (int i = 0; level != Durability.SYNC && i < incarnations.length; i++) {
                OpenTable table = operation.writes().get(i).table();
                if (table.durability() == Durability.SYNC) {
                    table.acknowledgedWeakly(lsn);
                }
            }
        }

        private long reserveAndApply() throws IOException {
            while (reserving < incarnations.length) {
                int next = reserving++;
                load = incarnations[next]
                        .engine()
                        .reserve(operation.writes().get(next).mutations());
                if (load != null) {
                    reserving = next;
                    cancel();
                    return 0;
                }
            }
            long lsn = append();
            if (lsn == WriteAheadLog.NO_ROOM) {
                cancel();
                return 0;
            }
            joint(true);
            for (int i = 0; i < incarnations.length; i++) {
                TableWrite write = operation.writes().get(i);
                incarnations[i].engine().apply(lsn, write.mutations());
                applied = i + 1;
                write.table().applied(lsn);
            }
            joint(false);
            mayBeLogged = false;
            return lsn;
        }

        private void joint(boolean isBeingApplied) {
            for (int i = 0; incarnations.length > 1 && i < incarnations.length; i++) {
                operation.writes().get(i).table().joint(isBeingApplied);
            }
        }

        private long append() {
            mayBeLogged = true;
            try {
                long lsn =
                        record == null ? services.log().claim() : services.log().append(record, removesOnly);
                mayBeLogged = lsn != WriteAheadLog.NO_ROOM;
                return lsn;
            } catch (StoreFailedException | OverloadedException e) {
                mayBeLogged = false;
                throw e;
            }
        }

        /** Cancels in the engines that reserved, or began to, and have not applied. */
        private void cancel() {
            while (reserving > applied) {
                int last = --reserving;
                try {
                    incarnations[last]
                            .engine()
                            .cancel(operation.writes().get(last).mutations());
                } catch (Throwable e) {
                    services.fail(e);
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
