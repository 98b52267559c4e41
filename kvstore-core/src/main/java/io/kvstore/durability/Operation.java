package io.kvstore.durability;

import io.kvstore.data.Change;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Mutation;
import io.kvstore.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a caller wants to be written, together or not at all.
 *
 * @param writes the changes by table, in lock order, each table once
 * @param checks the conditions that must hold, on tables that are changed or not
 * @param readsPrevious whether the value that the key of the first change had before is wanted
 */
public record Operation(List<TableWrite> writes, List<Check> checks, boolean readsPrevious) {

    /** The changes of one table, in order. */
    public sealed interface TableWrite {

        OpenTable table();

        List<? extends Change> changes();

        static TableWrite of(OpenTable table, List<Change> changes) {
            List<Mutation> known = new ArrayList<>(changes.size());
            for (Change change : changes) {
                if (!(change instanceof Mutation mutation)) {
                    return new Computed(table, changes);
                }
                known.add(mutation);
            }
            return new Fixed(table, known);
        }

        /** Changes that are known before the operation begins. */
        record Fixed(OpenTable table, List<Mutation> changes) implements TableWrite {}

        /** Changes, merges among them, that are computed from the present values of their keys. */
        record Computed(OpenTable table, List<Change> changes) implements TableWrite {}
    }

    public record Check(OpenTable table, Condition condition) {}

    /**
     * The result of an operation: its lsn, or the index of the condition that did not hold.
     *
     * @param value the previous value if the operation wanted it, or else the result of its last merge; null if there is none
     */
    public record Committed(long lsn, int failedCheck, byte @Nullable [] value) {
        public boolean isApplied() {
            return failedCheck < 0;
        }
    }

    /** An operation that wants no value. */
    public Operation(List<TableWrite> writes, List<Check> checks) {
        this(writes, checks, false);
    }

    /** One change of one table, whatever the table has. */
    static Operation of(OpenTable table, Mutation mutation) {
        return new Operation(List.of(new TableWrite.Fixed(table, List.of(mutation))), List.of());
    }

    /** As {@link #of}, with the value before. A removal is on the condition that there is one. */
    static Operation exchange(OpenTable table, Mutation mutation) {
        List<Check> checks = switch (mutation) {
            case Mutation.Put _ -> List.of();
            case Mutation.Remove _ -> List.of(new Check(table, new Condition.Exists(mutation.key())));
        };
        return new Operation(List.of(new TableWrite.Fixed(table, List.of(mutation))), checks, true);
    }

    /** Every table that the operation changes or checks, in lock order. */
    List<OpenTable> tables() {
        if (writes.size() == 1 && checks.isEmpty()) {
            return List.of(first());
        }
        TreeSet<OpenTable> tables = new TreeSet<>(OpenTable.IN_LOCK_ORDER);
        writes.forEach(write -> tables.add(write.table()));
        checks.forEach(check -> tables.add(check.table()));
        return List.copyOf(tables);
    }

    /** Whether the operation rests on values that its tables have. */
    boolean reads() {
        boolean reads = readsPrevious || !checks.isEmpty();
        for (int i = 0; i < writes.size() && !reads; i++) {
            reads = writes.get(i) instanceof TableWrite.Computed;
        }
        return reads;
    }

    /** Whether the operation goes to the log. All its tables do, or none. */
    boolean isLogged() {
        return first().isLogged();
    }

    private OpenTable first() {
        return writes.getFirst().table();
    }

    /**
     * The durability that the operation has: the given one, or else the strongest of the changed tables.
     *
     * @throws InvalidRequestException if tables with a log and tables without one do not go together here
     */
    Durability level(@Nullable Durability given) {
        boolean logged = isLogged();
        Durability strongest = Durability.BUFFERED;
        for (TableWrite write : writes) {
            if (write.table().isLogged() != logged) {
                throw new InvalidRequestException(
                        "a batch cannot change both tables with a log and tables without one ("
                                + write.table().name() + " and " + first().name() + "); write them in two batches");
            }
            strongest = strongest.orStronger(write.table().durability());
        }
        if (given != null && !logged) {
            throw new InvalidRequestException("table " + first().name()
                    + " has no log (ENABLE_WAL=false), so a write to it cannot be given a durability");
        }
        refuseMixedChecks(logged);
        return given != null ? given : strongest;
    }

    private void refuseMixedChecks(boolean logged) {
        for (Check check : checks) {
            if (check.table().isLogged() && !logged) {
                throw new InvalidRequestException("a change of table " + first().name()
                        + ", which has no log, cannot depend on a condition on table "
                        + check.table().name() + ", which has one");
            }
        }
    }
}
