package io.kvstore.durability;

import io.kvstore.data.Change;
import io.kvstore.data.Condition;
import io.kvstore.data.Merge;
import io.kvstore.data.Mutation;
import io.kvstore.durability.Operation.Check;
import io.kvstore.durability.Operation.TableWrite;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.InvalidRequestException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an operation finds in its tables: whether its conditions hold, and the results of its merges.
 *
 * <p>It is first resolved without locks, and for most operations that is all. Under the locks, it {@link #isCurrent} if no
 * table that it read has had another operation since. Then every value that it read is still the present one. Otherwise it is
 * resolved once more, under the locks. By then the keys were read a moment ago, so their pages and values are in memory.
 *
 * <p>Invariant: the lsn of a table is noted before the table is read. A thread that applies an operation tells the table its
 * lsn afterwards, and before the lock is free. So a read that saw a part of a later operation is not current under the lock.
 *
 * <p>For one thread.
 */
final class Resolution {

    /** The state of a table before it was read. */
    private record Stamp(OpenTable table, Incarnation incarnation, long lsn) {}

    private final Operation operation;
    private final long mostBytes;
    private final LargeMerges large;
    private final List<Stamp> stamps = new ArrayList<>();
    private final List<List<Mutation>> mutations = new ArrayList<>();
    private int failedCheck = -1;
    private @Nullable InvalidRequestException refusal;
    private byte @Nullable [] previous;
    private byte @Nullable [] merged;

    /** The value that the last check has read; null if that looked for the key alone. */
    private byte @Nullable [] checked;

    private boolean isValueRead;

    private long mergedBytes;
    private int reads;
    private boolean isLocked;
    private boolean hasWaited;

    /** @param mostBytes the most bytes of the results of all merges together; one merge may have its own limit in any case */
    Resolution(Operation operation, long mostBytes, LargeMerges large) {
        this.operation = operation;
        this.large = large;
        this.mostBytes = Math.max(mostBytes, Merge.MAX_RESULT_BYTES);
    }

    /**
     * Reads what the operation rests on, and computes its mutations.
     *
     * @param locked whether the caller has the locks of all tables
     */
    void run(boolean locked) throws IOException {
        isLocked = locked;
        do {
            hasWaited = false;
            resolve();
        } while (hasWaited); // what was read before the wait is hardly current, and would be read again under the locks
    }

    private void resolve() throws IOException {
        stamps.clear();
        mutations.clear();
        failedCheck = -1;
        refusal = null;
        mergedBytes = 0;
        reads = 0;
        try {
            if (checksHold()) {
                for (TableWrite write : operation.writes()) {
                    mutations.add(mutationsOf(write));
                }
                previous = operation.readsPrevious() ? previous() : null;
            }
        } catch (InvalidRequestException e) {
            refusal = e;
        }
    }

    /** Whether nothing that was read has changed. The caller has the locks of all tables. */
    boolean isCurrent() {
        for (Stamp stamp : stamps) {
            if (stamp.table.lastLsn() != stamp.lsn || stamp.table.incarnation() != stamp.incarnation) {
                return false;
            }
        }
        return true;
    }

    /** Whether the operation may be applied: all conditions hold, and all merges have results. */
    boolean isGranted() {
        return failedCheck < 0 && refusal == null;
    }

    /**
     * Whether the answer that the operation is not granted was right at some moment. A condition that does not hold is enough
     * by itself. A merge without a result also rests on what was read before it.
     */
    boolean isRefusedAtOnce() {
        return failedCheck >= 0 || (refusal != null && reads == 1);
    }

    int failedCheck() {
        return failedCheck;
    }

    /** Why a merge has no result, or null. */
    @Nullable
    InvalidRequestException refusal() {
        return refusal;
    }

    /** The mutations of the write with an index. */
    List<Mutation> mutations(int write) {
        return mutations.get(write);
    }

    /** The value that the operation answers: the one before the first change if asked for, or the last merge's result. */
    byte @Nullable [] answer() {
        return operation.readsPrevious() ? previous : merged;
    }

    /** Waits until all that was read is as durable as its tables promise. */
    void awaitDurable(StoreServices services) {
        for (Stamp stamp : stamps) {
            services.barrierOf(stamp.table).beforeAnswer(stamp.lsn);
        }
    }

    /** As {@link #awaitDurable}, if the operation was not applied. What was read without locks may be newer than its stamp. */
    void awaitRefusal(StoreServices services) {
        for (Stamp stamp : stamps) {
            long applied = stamp.incarnation.engine().appliedLsn();
            services.barrierOf(stamp.table).beforeAnswer(Math.max(applied, stamp.lsn));
        }
    }

    private boolean checksHold() throws IOException {
        for (int i = 0; i < operation.checks().size(); i++) {
            Check check = operation.checks().get(i);
            isValueRead = readsValue(check);
            if (!(isValueRead ? holds(check) : holdsWithoutValue(check))) {
                failedCheck = i;
                return false;
            }
        }
        return true;
    }

    /** Whether a check reads the value of its key: because its condition is on that, or because it is the previous value. */
    private boolean readsValue(Check check) {
        return switch (check.condition()) {
            case Condition.ValueIs _, Condition.TagIs _ -> true;
            case Condition.Absent _, Condition.Exists _ -> operation.readsPrevious() && isOfFirstKey(check);
        };
    }

    private boolean holds(Check check) throws IOException {
        checked = read(check.table(), check.condition().key());
        return check.condition().holds(checked);
    }

    /** Whether a condition on the presence of a key holds. A value that is kept apart from its key is not read. */
    private boolean holdsWithoutValue(Check check) throws IOException {
        checked = null;
        boolean isPresent = noteRead(check.table()).contains(check.condition().key(), ReadView.LATEST_UNWAITED);
        return isPresent == check.condition() instanceof Condition.Exists;
    }

    /** The value that the first key has. The last check may have read it. */
    private byte @Nullable [] previous() throws IOException {
        TableWrite write = operation.writes().getFirst();
        Check last = operation.checks().isEmpty() ? null : operation.checks().getLast();
        boolean isRead = last != null && isValueRead && isOfFirstKey(last);
        return isRead ? checked : read(write.table(), write.changes().getFirst().key());
    }

    private boolean isOfFirstKey(Check check) {
        TableWrite write = operation.writes().getFirst();
        return check.table().equals(write.table())
                && Arrays.equals(
                        check.condition().key(), write.changes().getFirst().key());
    }

    private List<Mutation> mutationsOf(TableWrite write) throws IOException {
        if (write instanceof TableWrite.Fixed fixed) {
            return fixed.changes();
        }
        if (write.changes().size() == 1 && write.changes().getFirst() instanceof Merge merge) {
            return List.of(resultOf(write.table(), merge, null));
        }
        List<Mutation> result = new ArrayList<>(write.changes().size());
        Map<ByteBuffer, Mutation> earlier = new HashMap<>();
        for (Change change : write.changes()) {
            Mutation mutation = switch (change) {
                case Mutation given -> given;
                case Merge merge -> resultOf(write.table(), merge, earlier.get(ByteBuffer.wrap(merge.key())));
            };
            earlier.put(ByteBuffer.wrap(mutation.key()), mutation);
            result.add(mutation);
        }
        return result;
    }

    /** @param earlier the last change of the key in the same operation, or null */
    private Mutation resultOf(OpenTable table, Merge merge, @Nullable Mutation earlier) throws IOException {
        byte[] present = switch (earlier) {
            case null -> read(table, merge.key());
            case Mutation.Put put -> put.value();
            case Mutation.Remove _ -> null;
        };
        byte[] result = KeyResolution.resultOf(table, merge, present);
        mergedBytes += result.length;
        if (mergedBytes > mostBytes) {
            throw new InvalidRequestException("the merges of the batch make more than " + mostBytes
                    + " bytes of values together (maxBatchBytes); split the batch");
        }
        if (mergedBytes > Merge.MAX_RESULT_BYTES) {
            takeTurn();
        }
        merged = result;
        return new Mutation.Put(merge.key(), result);
    }

    private void takeTurn() {
        if (isLocked) {
            large.takeAtOnce();
        } else {
            hasWaited |= large.await();
        }
    }

    private byte @Nullable [] read(OpenTable table, byte[] key) throws IOException {
        return noteRead(table).get(key, ReadView.LATEST_UNWAITED);
    }

    /** The engine of a table that is about to be read. The lsn of the table is noted before. */
    private TableEngine noteRead(OpenTable table) {
        Incarnation incarnation = table.incarnation();
        if (stamps.isEmpty() || stamps.getLast().table != table || stamps.getLast().incarnation != incarnation) {
            stamps.add(new Stamp(table, incarnation, table.lastLsn()));
        }
        reads++;
        return incarnation.engine();
    }
}
