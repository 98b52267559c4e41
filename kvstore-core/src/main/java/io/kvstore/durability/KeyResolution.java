package io.kvstore.durability;

import io.kvstore.data.Change;
import io.kvstore.data.Merge;
import io.kvstore.data.Mutation;
import io.kvstore.engine.ReadView;
import io.kvstore.error.InvalidRequestException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Resolution} of one change that rests on the present value of its own key, and on nothing else. It is read without
 * the lock. Under the lock it counts if the table has had no other operation since; otherwise it is read again. By then it was
 * read a moment ago, so it is in memory. The invariant is the same: the lsn of the table is noted before the table is read.
 *
 * <p>For one thread.
 */
final class KeyResolution {

    private final OpenTable table;
    private final Change change;
    private long lsn;
    private byte @Nullable [] previous;
    private @Nullable Mutation mutation;

    /** @param change a removal is on the condition that the key has a value */
    KeyResolution(OpenTable table, Change change) {
        this.table = table;
        this.change = change;
    }

    /**
     * Reads the value without the lock. Returns false if there is nothing to remove. An answer that was right at some moment
     * is enough.
     *
     * @throws InvalidRequestException if the value was one that the merge has no result for
     */
    boolean read(Incarnation incarnation) {
        try {
            return readLocked(incarnation);
        } catch (IOException e) {
            throw StorageErrors.of("the write", e);
        }
    }

    /** Whether the table has had no other operation since the value was read. The caller has the lock. */
    boolean isCurrent() {
        return table.lastLsn() == lsn;
    }

    /** As {@link #read}. The caller has the lock, and the table has this incarnation. */
    boolean readLocked(Incarnation incarnation) throws IOException {
        lsn = table.lastLsn();
        previous = incarnation.engine().get(change.key(), ReadView.LATEST_UNWAITED);
        mutation = switch (change) {
            case Mutation.Put put -> put;
            case Mutation.Remove remove -> previous == null ? null : remove;
            case Merge merge -> new Mutation.Put(merge.key(), resultOf(table, merge, previous));
        };
        return mutation != null;
    }

    /** The mutation that the value before leads to; null if there is nothing to remove. */
    @Nullable
    Mutation mutation() {
        return mutation;
    }

    /** The value before the change, or null. */
    byte @Nullable [] previous() {
        return previous;
    }

    /** @throws InvalidRequestException if there is no result, or it is too long for the table */
    static byte[] resultOf(OpenTable table, Merge merge, byte @Nullable [] present) {
        byte[] result = merge.on(present);
        if (result.length > table.maxValueBytes()) {
            throw new InvalidRequestException("the merge would make a value of " + result.length + " bytes; table "
                    + table.name() + " takes at most " + table.maxValueBytes() + " (MAX_VALUE_BYTES of the table)");
        }
        return result;
    }
}
