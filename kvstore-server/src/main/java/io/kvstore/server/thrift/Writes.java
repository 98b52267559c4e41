package io.kvstore.server.thrift;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.error.Outcome;
import io.kvstore.error.OverloadedException;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.kvstore.thrift.Batch;
import io.kvstore.thrift.Check;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.Merge;
import io.kvstore.thrift.Mutation;
import io.kvstore.thrift.Patch;
import io.kvstore.thrift.TableName;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls that write. Safe for use by several threads. */
final class Writes {

    /** Bounds the time of a call for a key that others keep changing. */
    static final int EXCHANGE_TRIES = 100;

    private final KVStore store;
    private final Tables tables;

    private final int largestAnswer;

    Writes(Edge edge, int maxFrameBytes) {
        this.largestAnswer = maxFrameBytes - Limits.ENVELOPE_BYTES;
        this.store = edge.store();
        this.tables = edge.tables();
    }

    /** The bytes of a value. Refuses a value that exceeds the table's limit. */
    static byte[] value(Table table, @Nullable ByteBuffer given) {
        return part(table, given, "the value");
    }

    /** The bytes of a part of a value. Refuses a part that exceeds the table's limit of whole values. */
    static byte[] part(Table table, @Nullable ByteBuffer given, String name) {
        ByteBuffer buffer = Requests.need(given, name);
        Tables.checkValueBytes(table, buffer.remaining());
        return Requests.bytes(buffer, name);
    }

    /**
     * Puts or removes a value, and answers the value before. Once the change was made, the answer is not refused for want of
     * memory. A value that no frame takes refuses the call before anything is changed.
     *
     * @param value the value to put, or null to remove the key
     */
    GetResult exchange(
            Table table, byte[] key, byte @Nullable [] value, @Nullable Durability durability, Reads.Room room) {
        room.check();
        byte[] previous;
        // The limit of a table never changes. It can exceed that of the server, which is started with another one.
        if (table.maxValueBytes() > largestAnswer) {
            previous = exchangeIfFits(table, key, value, durability);
        } else {
            previous = value == null ? table.getAndRemove(key, durability) : table.getAndPut(key, value, durability);
        }
        GetResult result = new GetResult();
        if (previous != null) {
            room.takeAnyway(previous.length);
            result.setValue(ByteBuffer.wrap(previous));
        }
        return result;
    }

    private byte @Nullable [] exchangeIfFits(
            Table table, byte[] key, byte @Nullable [] value, @Nullable Durability durability) {
        return exchangeIfSame(() -> fitting(table.get(key)), present -> {
            Condition unchanged = present == null ? new Condition.Absent(key) : new Condition.ValueIs(key, present);
            return value == null
                    ? isRemoved(table, unchanged, durability)
                    : table.putIf(unchanged, key, value, durability);
        });
    }

    /**
     * Makes a change if the value is still the one whose size was looked at. Another edge may have put a larger one.
     *
     * @param change changes the value if it is the given one, and returns whether it was
     * @throws OverloadedException if the value was another one at each of the tries; then nothing was changed
     */
    static byte @Nullable [] exchangeIfSame(Supplier<byte @Nullable []> look, Predicate<byte @Nullable []> change) {
        for (int tries = 0; tries < EXCHANGE_TRIES; tries++) {
            byte[] present = look.get();
            if (change.test(present)) {
                return present;
            }
        }
        throw new OverloadedException("other writers changed the value of the key during each of " + EXCHANGE_TRIES
                + " tries to exchange it: nothing was changed; try again later, or put or remove without asking for the"
                + " value");
    }

    private byte @Nullable [] fitting(byte @Nullable [] present) {
        if (present != null && present.length > largestAnswer) {
            throw beyondFrame(present.length);
        }
        return present;
    }

    private static boolean isRemoved(Table table, Condition unchanged, @Nullable Durability durability) {
        return unchanged instanceof Condition.Absent || table.removeIf(unchanged, unchanged.key(), durability);
    }

    private ProblemException beyondFrame(int bytes) {
        return new ProblemException(new Problem(
                ProblemCode.ANSWER_TOO_LARGE,
                "the value of the key has " + bytes + " bytes, and an answer takes at most " + largestAnswer
                        + ": nothing was changed; put or remove without asking for the value, or get it over HTTP"
                        + " before",
                Outcome.REJECTED,
                Map.of("limit", largestAnswer, "actual", bytes)));
    }

    /** @param takesMerges whether the caller knows that this server has merges, because it called the method for them */
    long write(@Nullable Batch given, boolean takesMerges, @Nullable Durability durability) {
        Batch batch = Requests.need(given, "the batch");
        List<Mutation> mutations = Requests.need(batch.getMutations(), "mutations");
        if (mutations.isEmpty()) {
            throw ProblemException.invalid("the batch has no mutations; give 1 to " + Limits.ITEMS);
        }
        if (!takesMerges && mutations.stream().anyMatch(Mutation::isSetMerge)) {
            throw ProblemException.invalid(
                    "the batch has a merge; call writeMerges: a server without merges would take it for"
                            + " a removal");
        }
        Filling filling = new Filling(Requests.need(batch.getTable(), "the table"));
        if (batch.getChecks() != null) {
            batch.getChecks().forEach(filling::check);
        }
        mutations.forEach(filling::mutate);
        return store.write(filling.batch, durability);
    }

    /** Turns the items of one request into a batch. */
    private final class Filling {

        private final WriteBatch batch = new WriteBatch();
        private final String database;
        private final Table table;
        private final Map<String, Table> others = new HashMap<>();

        Filling(TableName name) {
            this.database = Requests.need(name.getDatabase(), "the database");
            this.table = tables.named(database, Requests.need(name.getTable(), "the table"));
        }

        void check(Check check) {
            byte[] key = Requests.key(check.bufferForKey());
            batch.check(named(check.getTable()), Requests.condition(key, check.getCondition()));
        }

        void mutate(Mutation mutation) {
            Table target = named(mutation.getTable());
            byte[] key = Requests.key(mutation.bufferForKey());
            if (mutation.isSetMerge()) {
                if (mutation.isSetValue()) {
                    throw ProblemException.invalid("a mutation has a value and a merge; give one of them, or neither of"
                            + " them to remove the key");
                }
                merge(target, key, mutation.getMerge());
            } else if (mutation.isSetValue()) {
                batch.put(target, key, value(target, mutation.bufferForValue()));
            } else {
                batch.remove(target, key);
            }
        }

        private void merge(Table target, byte[] key, Merge merge) {
            int set = (merge.isSetAdd() ? 1 : 0) + (merge.isSetAppend() ? 1 : 0) + (merge.isSetPatch() ? 1 : 0);
            if (set != 1) {
                throw ProblemException.invalid(
                        "a merge has " + set + " of the fields add, append and patch; give one of them");
            }
            if (merge.isSetAdd()) {
                batch.add(target, key, merge.getAdd());
            } else if (merge.isSetAppend()) {
                batch.append(target, key, part(target, merge.bufferForAppend(), "append"));
            } else {
                Patch patch = Requests.need(merge.getPatch(), "the patch");
                batch.patch(target, key, patch.getOffset(), part(target, patch.bufferForPart(), "the part"));
            }
        }

        private Table named(@Nullable String name) {
            return name == null ? table : others.computeIfAbsent(name, other -> tables.named(database, other));
        }
    }
}
