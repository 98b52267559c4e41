package io.kvstore.durability;

import static java.util.Objects.requireNonNull;

import io.kvstore.data.Durability;
import io.kvstore.data.Merge;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.durability.Operation.Committed;
import io.kvstore.durability.Operation.TableWrite;
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
import org.jspecify.annotations.Nullable;

/**
 * The one way in which writes enter the store. {@code docs/design/write-path.md} has the steps of an operation, its states and
 * the invariants. An operation has the locks of all its tables, taken in ascending order, and no I/O is done under them.
 *
 * <p>After a throwable, locks and reservations are given back where the stack has as much room as before the locks were taken.
 * That room is {@linkplain StackProbe checked} first.
 */
public final class CommitPipeline {

    /** An attempt ended because a condition does not hold, or a merge has no result. */
    private static final long NOT_GRANTED = Long.MIN_VALUE;

    private final StoreServices services;
    private final LogRoom room;
    private final ShortWay shortWay;
    private final LargeMerges large;

    CommitPipeline(StoreServices services, LogRoom room) {
        this.services = services;
        this.room = room;
        this.shortWay = new ShortWay(services);
        this.large = new LargeMerges(services);
    }

    /** Writes one change of one table as an operation. Returns once it has reached its durability. */
    public void commit(OpenTable table, Mutation mutation, @Nullable Durability given) {
        if (table.isLogged() || given != null) {
            commit(Operation.of(table, mutation), given);
            return;
        }
        StackProbe.run();
        int ticket = services.calls().enter();
        try {
            refuseReadOnly();
            shortWay.commit(table, mutation);
        } finally {
            services.calls().exit(ticket);
        }
    }

    /**
     * As {@link #commit(OpenTable, Mutation, Durability)}, and returns the value that the key had before, or null. A removal of
     * a key that has no value writes nothing.
     */
    public byte @Nullable [] exchange(OpenTable table, Mutation mutation, @Nullable Durability given) {
        if (table.isLogged() || given != null) {
            return commit(Operation.exchange(table, mutation), given).value();
        }
        StackProbe.run();
        int ticket = services.calls().enter();
        try {
            refuseReadOnly();
            return shortWay.exchange(table, mutation);
        } finally {
            services.calls().exit(ticket);
        }
    }

    /** Writes the result of a merge as an operation, and returns it once it has reached its durability. */
    public byte[] merge(OpenTable table, Merge merge, @Nullable Durability given) {
        if (table.isLogged() || given != null) {
            TableWrite write = new TableWrite.Computed(table, List.of(merge));
            return requireNonNull(
                    commit(new Operation(List.of(write), List.of()), given).value());
        }
        StackProbe.run();
        int ticket = services.calls().enter();
        try {
            refuseReadOnly();
            return shortWay.merge(table, merge);
        } finally {
            services.calls().exit(ticket);
        }
    }

    /** @param given the requested durability, or null for the strongest of the changed tables */
    public Committed commit(Operation operation, @Nullable Durability given) {
        StackProbe.run();
        int ticket = services.calls().enter();
        try {
            refuseReadOnly();
            Durability level = operation.level(given);
            List<OpenTable> tables = operation.tables();
            while (true) {
                services.health().check();
                Attempt attempt = new Attempt(operation, tables, level);
                if (!attempt.prepare()) {
                    return attempt.notGranted();
                }
                long lsn;
                try {
                    lsn = attempt.run();
                } catch (Throwable e) {
                    attempt.giveBack(e); // once more here, where the stack has more room
                    throw e;
                }
                if (lsn == NOT_GRANTED) {
                    return attempt.notGranted();
                }
                if (lsn > 0) {
                    attempt.finish(lsn, level);
                    return attempt.committed(lsn);
                }
                attempt.runLoad();
            }
        } finally {
            try {
                large.end();
            } finally {
                services.calls().exit(ticket);
            }
        }
    }

    private void refuseReadOnly() {
        if (services.setup().readOnly()) {
            throw new InvalidRequestException("the store is open read-only and takes no writes");
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

        /** Null if the operation rests on no value of its tables. */
        private final @Nullable Resolution resolution;

        /** How many engines have reserved, or began to. {@link #applied} of them have applied. */
        private int reserving;

        private int applied;

        /** Whether the log may hold a record that an engine has not applied. */
        private boolean mayBeLogged;

        private TableEngine.@Nullable Load load;

        Attempt(Operation operation, List<OpenTable> tables, Durability level) {
            this.operation = operation;
            this.tables = tables;
            this.logged = operation.isLogged();
            this.goesOn = tables.size() == 1 && !(logged && level == Durability.SYNC);
            this.incarnations = new Incarnation[operation.writes().size()];
            this.resolution = operation.reads()
                    ? new Resolution(operation, services.setup().maxBatchBytes(), large)
                    : null;
        }

        /** Does everything that needs no lock. Returns false if the operation is not granted, and so is over. */
        boolean prepare() {
            for (int i = 0; i < incarnations.length; i++) {
                OpenTable table = operation.writes().get(i).table();
                incarnations[i] = table.incarnation();
                table.checkTakesWrites();
            }
            if (resolution != null) {
                resolve(resolution, false);
                if (!resolution.isGranted() && !resolution.isRefusedAtOnce()) {
                    resolveLocked(resolution);
                }
                if (!resolution.isGranted()) {
                    return false;
                }
            }
            for (int i = 0; i < incarnations.length; i++) {
                admit(incarnations[i].engine(), mutations(i));
            }
            if (logged) {
                record = recordOfAll();
                room.take(record.frameBytes(), removesOnly);
            }
            return true;
        }

        private void resolve(Resolution asked, boolean locked) {
            try {
                asked.run(locked);
            } catch (IOException e) {
                throw StorageErrors.of("the write", e);
            }
        }

        /** Resolves under the locks, where all reads are of one moment. */
        private void resolveLocked(Resolution asked) {
            try {
                OpenTable.lockAll(tables);
                resolve(asked, true);
            } finally {
                OpenTable.unlockAll(tables);
            }
        }

        private List<Mutation> mutations(int write) {
            return switch (operation.writes().get(write)) {
                case TableWrite.Fixed fixed -> fixed.changes();
                case TableWrite.Computed _ -> requireNonNull(resolution).mutations(write);
            };
        }

        private LogRecord recordOfAll() {
            List<TableMutations> changes = new ArrayList<>(incarnations.length);
            for (int i = 0; i < incarnations.length; i++) {
                changes.add(new TableMutations(incarnations[i].id(), mutations(i)));
            }
            return LogRecord.of(changes);
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

        /** Runs the steps under the locks. Returns the lsn, {@link #NOT_GRANTED}, or 0 to try again. */
        long run() {
            try {
                OpenTable.lockAll(tables);
                long lsn = 0;
                if (isSame()) {
                    lsn = isGranted() ? reserveAndApply() : NOT_GRANTED;
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
                            "the store failed while it applied a logged write; it may or may not be there after the"
                                    + " store is opened again",
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
                    OpenTable.unlockAll(tables);
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

        /** Whether the present values of its tables let the operation be applied. */
        private boolean isGranted() throws IOException {
            if (resolution == null || resolution.isCurrent()) {
                return true;
            }
            record = null; // its bytes are not needed beside those of the next one
            resolution.run(true);
            if (logged && resolution.isGranted()) {
                record = recordOfAll();
            }
            return resolution.isGranted();
        }

        /** Tells that the operation is not granted. That rests on values of its tables, so it waits as a read does. */
        Committed notGranted() {
            Resolution read = requireNonNull(resolution);
            read.awaitRefusal(services);
            InvalidRequestException refusal = read.refusal();
            if (refusal != null) {
                throw refusal;
            }
            return new Committed(0, read.failedCheck(), null);
        }

        Committed committed(long lsn) {
            return new Committed(lsn, -1, resolution == null ? null : resolution.answer());
        }

        /** Waits until the operation and the state that it has read have reached their durability. */
        void finish(long lsn, Durability level) {
            if (logged) {
                settle(lsn, level);
                awaitRead(level);
                acknowledge(lsn, level);
            }
        }

        /** Waits for the state that was read, on which success rests. A {@code SYNC} write has done so already. */
        private void awaitRead(Durability level) {
            if (resolution != null && level != Durability.SYNC) {
                try {
                    resolution.awaitDurable(services);
                } catch (StoreFailedException e) {
                    throw outcomeUnknown(e.getCause());
                }
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
                load = incarnations[next].engine().reserve(mutations(next));
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
                incarnations[i].engine().apply(lsn, mutations(i));
                applied = i + 1;
                operation.writes().get(i).table().applied(lsn);
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
                    incarnations[last].engine().cancel(mutations(last));
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
