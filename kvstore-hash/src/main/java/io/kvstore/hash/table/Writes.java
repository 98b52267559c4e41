package io.kvstore.hash.table;

import io.kvstore.data.Mutation;
import io.kvstore.engine.MemoryRefusal;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.OverloadedException;
import io.kvstore.hash.index.Room;
import io.kvstore.value.ValueStore;
import io.kvstore.value.segment.ValuePointer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operations of writers. A short one becomes pending. A long one comes into the index when it is applied; its entries are
 * looked up when it is reserved. Everything that takes memory or may be refused happens in {@link #reserve}.
 */
public final class Writes {

    /** Values are kept apart, so the one that a pending change replaces counts as alive. A few bytes of them may. */
    private static final long MOST_PENDING_BYTES = 64 << 10;

    private static final long[] NO_HASHES = {};

    /** Numbers of segments that are left to the work that empties old ones. */
    private static final long SPARE_NUMBERS = 1_024;

    private final TableState state;
    private final ValueStore values;
    private @Nullable Reserved reserved;

    /**
     * What an operation needs.
     *
     * @param mutations the last one of each key
     * @param promised the hashes for which the index has promised room
     * @param replaced by a long operation
     * @param changes of a short operation
     */
    private record Reserved(
            List<Mutation> mutations, long[] hashes, long[] promised, Replaced replaced, PendingChange[] changes) {

        boolean isLong() {
            return mutations.size() > PendingChanges.USUAL;
        }
    }

    /**
     * The entries that a long operation replaces.
     *
     * @param places {@link Places#NONE} for a key without an entry
     */
    private record Replaced(long[] places, int[] lengths, long[] lsns) {
        static final Replaced NONE = new Replaced(new long[0], new int[0], new long[0]);
    }

    public Writes(TableState state) {
        this.state = state;
        this.values = state.records().values();
    }

    /** As {@link TableEngine#reserve}. The thread has the lock of the table until {@link #apply} or {@link #cancel}. */
    public TableEngine.@Nullable Load reserve(List<Mutation> mutations) {
        boolean isReserved = false;
        try {
            List<Mutation> last = lastOfEachKey(mutations); // takes long for many changes, so without the lock
            state.lock().lock();
            if (!state.context().readOnly()
                    && values.log().isCongested()
                    && !values.log().isFull()) {
                return values.log()::admit; // many writers came at once
            }
            if (state.records().numbersLeft() <= SPARE_NUMBERS + mostSegments(last)) {
                return this::noNumbers;
            }
            TableEngine.Load load = tryReserve(last);
            isReserved = load == null;
            return load;
        } catch (OutOfMemoryError e) {
            state.looks().operationEnded();
            return new MemoryRefusal(
                    state.context().directory().concat(": there is no memory for a write; give the JVM more"), e);
        } finally {
            if (!isReserved) {
                cancel();
            }
        }
    }

    /** How many segments the records of an operation may begin. Two neighbours are longer than one may become. */
    private long mostSegments(List<Mutation> mutations) {
        if (mutations.size() <= PendingChanges.USUAL) {
            return mutations.size();
        }
        long bytes = 0;
        for (Mutation mutation : mutations) {
            int valueLength = mutation instanceof Mutation.Put put ? put.value().length : 0;
            bytes += ValuePointer.recordBytes(mutation.key().length, valueLength);
        }
        return Math.min(mutations.size(), 2 * bytes / values.segmentBytes() + 2);
    }

    private void noNumbers() {
        throw new OverloadedException(state.context().directory()
                + ": segments of values are replaced faster than old ones can be emptied; write more slowly");
    }

    /** Walks once over the given list, which may be long. */
    private static List<Mutation> lastOfEachKey(List<Mutation> mutations) {
        if (mutations.size() == 1) {
            return mutations;
        }
        Map<ByteBuffer, Mutation> last = LinkedHashMap.newLinkedHashMap(mutations.size());
        for (Mutation mutation : mutations) {
            last.put(ByteBuffer.wrap(mutation.key()), mutation);
        }
        return new ArrayList<>(last.values());
    }

    private TableEngine.@Nullable Load tryReserve(List<Mutation> mutations) {
        int count = mutations.size();
        boolean isLong = count > PendingChanges.USUAL;
        boolean isFull = state.pending().count() + count > mostPending()
                || state.pending().valueBytes() > MOST_PENDING_BYTES;
        if (isLong || isFull) {
            TableEngine.Load load = state.settling().settle();
            if (load != null) {
                return load;
            }
        }
        long[] hashes = new long[count];
        for (int i = 0; i < count; i++) {
            hashes[i] = state.hash().of(mutations.get(i).key());
        }
        TableEngine.Load load = isLong ? reserveLong(mutations, hashes) : reserveShort(mutations, hashes);
        if (load == null) {
            values.log().reserve(mutations, 0);
            state.looks().forgetMany();
        }
        return load;
    }

    private int mostPending() {
        if (!state.looks().areOfDisk()) {
            return PendingChanges.USUAL;
        }
        long entries = Math.max(1, state.directory().entries());
        return PendingChanges.mostOfDisk(values.liveBytes() / entries);
    }

    private TableEngine.@Nullable Load reserveShort(List<Mutation> mutations, long[] hashes) {
        if (hashes.length == 1 && tryReserveOne(mutations, hashes)) {
            return null;
        }
        boolean[] isNew = new boolean[hashes.length];
        for (int i = 0; i < hashes.length; i++) {
            isNew[i] = mutations.get(i) instanceof Mutation.Put;
        }
        Room room = tryReserveShort(mutations, hashes, isNew);
        if (room == Room.RESERVED) {
            return null;
        }
        TableEngine.Load load = state.settling().settle();
        load = load == null ? findNew(mutations, hashes, isNew) : load;
        if (load != null) {
            return load;
        }
        room = tryReserveShort(mutations, hashes, isNew);
        return room == Room.RESERVED ? null : state.indexRoom().refusal(room);
    }

    /** Makes all objects first: when the room is taken, nothing fails any more. */
    private Room tryReserveShort(List<Mutation> mutations, long[] hashes, boolean[] isNew) {
        long[] promised = chosen(hashes, isNew);
        PendingChange[] changes = new PendingChange[hashes.length];
        for (int i = 0; i < changes.length; i++) {
            Mutation mutation = mutations.get(i);
            byte[] value = mutation instanceof Mutation.Put put ? put.value() : null;
            changes[i] = new PendingChange(hashes[i], mutation.key(), value, isNew[i]);
        }
        Reserved made = new Reserved(mutations, hashes, promised, Replaced.NONE, changes);
        Room room = state.directory().reserve(promised, promised.length);
        reserved = room == Room.RESERVED ? made : null;
        return room;
    }

    /** The way of most operations. Takes nothing if there is no room. */
    private boolean tryReserveOne(List<Mutation> mutations, long[] hashes) {
        Mutation mutation = mutations.getFirst();
        byte[] value = mutation instanceof Mutation.Put put ? put.value() : null;
        PendingChange[] changes = {new PendingChange(hashes[0], mutation.key(), value, value != null)};
        Reserved one = new Reserved(mutations, hashes, value == null ? NO_HASHES : hashes, Replaced.NONE, changes);
        if (value != null && state.directory().reserve(hashes[0]) != Room.RESERVED) {
            return false;
        }
        reserved = one;
        return true;
    }

    /** Finds out which of the keys have no entry, while nothing is pending. */
    private TableEngine.@Nullable Load findNew(List<Mutation> mutations, long[] hashes, boolean[] isNew) {
        for (int i = 0; i < hashes.length; i++) {
            if (isNew[i]) {
                isNew[i] = state.settling().find(hashes[i], mutations.get(i).key()) == Places.NONE;
            }
        }
        return state.looks().takeMissingOfOperation();
    }

    private TableEngine.@Nullable Load reserveLong(List<Mutation> mutations, long[] hashes) {
        Replaced replaced = new Replaced(new long[hashes.length], new int[hashes.length], new long[hashes.length]);
        boolean[] isNew = new boolean[hashes.length];
        int olds = 0;
        for (int i = 0; i < hashes.length; i++) {
            replaced.places[i] =
                    state.settling().find(hashes[i], mutations.get(i).key());
            replaced.lengths[i] = state.settling().found().valueLength();
            replaced.lsns[i] = state.settling().found().lsn();
            isNew[i] = replaced.places[i] == Places.NONE && mutations.get(i) instanceof Mutation.Put;
            olds += replaced.places[i] == Places.NONE ? 0 : 1;
        }
        TableEngine.Load load = state.looks().takeMissingOfOperation();
        if (load != null) {
            return load;
        }
        state.settling().forgetOld(state.views());
        state.changes().prepare(hashes.length);
        state.history().prepare(olds, state.records().numbersUsed());
        state.viewCounts().prepare(1);
        long[] promised = chosen(hashes, isNew);
        Reserved made = new Reserved(mutations, hashes, promised, replaced, new PendingChange[0]);
        Room room = state.directory().reserve(promised, promised.length);
        reserved = room == Room.RESERVED ? made : null;
        return room == Room.RESERVED ? null : state.indexRoom().refusal(room);
    }

    private static long[] chosen(long[] hashes, boolean[] isChosen) {
        long[] result = new long[hashes.length];
        int count = 0;
        for (int i = 0; i < hashes.length; i++) {
            if (isChosen[i]) {
                result[count++] = hashes[i];
            }
        }
        return count == result.length ? result : Arrays.copyOf(result, count);
    }

    /** Gives up the reservation of this thread. Does nothing if it has none. */
    public void cancel() {
        while (state.lock().isHeldByCurrentThread()) {
            try {
                Reserved given = reserved;
                reserved = null;
                for (int i = 0; given != null && i < given.promised.length; i++) {
                    state.directory().cancel(given.promised[i]);
                }
                state.looks().dropMissing();
                state.history().dropSpares();
            } finally {
                state.lock().unlock();
            }
        }
    }

    /** As {@link TableEngine#apply}. */
    public void apply(long lsn) {
        Reserved operation = reserved;
        if (operation == null || !state.lock().isHeldByCurrentThread()) {
            throw new IllegalStateException("an operation is applied that was not reserved");
        }
        boolean isDone = false;
        try {
            reserved = null;
            state.looks().operationEnded();
            state.begun(lsn);
            if (operation.isLong()) {
                applyLong(lsn, operation);
            } else {
                applyShort(lsn, operation);
            }
            isDone = true;
        } finally {
            if (!isDone) {
                state.tear("an operation was applied only in part");
            }
            state.lock().unlock();
        }
    }

    private void applyShort(long lsn, Reserved operation) {
        for (int i = 0; i < operation.changes.length; i++) {
            PendingChange change = operation.changes[i];
            long place = Places.NONE;
            if (operation.mutations.get(i) instanceof Mutation.Put put) {
                long offset =
                        values.add(put.key(), lsn, put.value()); // without Records: one frame less on the hottest path
                place = Places.of(values.log().addedTo(), offset);
            } else {
                state.removals().note(change.hash(), lsn);
            }
            change.applied(lsn, place);
            state.pending().add(change);
        }
        state.applied(lsn);
    }

    /** Readers find the places that are replaced in the history, until the operation is applied as a whole. */
    private void applyLong(long lsn, Reserved operation) {
        state.viewCounts().note(lsn, state.directory().entries());
        for (int i = 0; i < operation.hashes.length; i++) {
            long old = operation.replaced.places[i];
            long place = Places.NONE;
            if (operation.mutations.get(i) instanceof Mutation.Put put) {
                place = state.records().add(put.key(), lsn, put.value());
            } else {
                state.removals().note(operation.hashes[i], lsn);
            }
            if (old != Places.NONE) {
                state.settling().keep(operation.hashes[i], old, operation.replaced.lsns[i], lsn);
            }
            if (place != Places.NONE || old != Places.NONE) {
                state.settling().replace(operation.hashes[i], old, place);
            }
            if (old != Places.NONE) {
                byte[] key = operation.mutations.get(i).key();
                state.records().release(old, key.length, operation.replaced.lengths[i]);
            }
        }
        state.applied(lsn);
    }
}
