package io.kvstore.bplus;

import io.kvstore.data.KeyHash;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValuePointer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Some operations that were applied and are not in the tree yet: their changes in the order in which they came, and a hash
 * table that leads to the newest one of each key. One thread at a time adds; any thread finds.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A change never changes, and lies there before the slot that leads to it is written, by a release store. A slot leads to
 *       changes of one key only, each newer than the one before.
 *   <li>A larger table has all slots before it is shown. Who looks into the smaller one misses only what was added after it
 *       began to look.
 *   <li>Slots lead to where changes lie, which stays so while the changes are sorted.
 * </ol>
 *
 * <pre>
 *   slot: 0, or above 24 bits of the place and one 8 bits of the key's hash
 * </pre>
 */
final class WaitingChanges {

    private static final int LEAST_SLOTS = 64;
    private static final int PLACE_BITS = 24;
    private static final int PLACE = (1 << PLACE_BITS) - 1;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(int[].class);

    private final long firstLsn;
    private final KeyHash keyHash;
    private LoggedChanges changes;
    private volatile int @Nullable [] slots;
    private int usedSlots;
    private long lastLsn;
    private boolean goesOn;
    private boolean isSorted;
    private int mergedTo;

    /** Of the one who adds; others see what it was a moment ago. */
    private final AtomicLong valueBytes = new AtomicLong();

    /**
     * None yet.
     *
     * @param firstLsn of the first operation
     * @param keyHash how keys are hashed
     * @param changes where they are to be, without any
     */
    WaitingChanges(long firstLsn, KeyHash keyHash, LoggedChanges changes) {
        this.keyHash = keyHash;
        this.firstLsn = firstLsn;
        this.changes = changes;
        this.lastLsn = firstLsn;
    }

    /** Whether changes can be found. */
    boolean isSearchable() {
        return slots != null;
    }

    /**
     * Has a hash table from now on; while nothing is added.
     *
     * @param expected how many changes there may be; room for them is made at once
     */
    void makeSearchable(int expected) {
        if (slots == null) {
            usedSlots = 0;
            int[] made = new int[Math.max(LEAST_SLOTS, 2 * Math.max(expected, 2 * changes.size()))];
            changes.forEach(place -> show(made, changes.keyAt(place), place));
            slots = made;
        }
    }

    long firstLsn() {
        return firstLsn;
    }

    /** The last operation that is whole in here. */
    long lastLsn() {
        return lastLsn;
    }

    /** The last operation goes on in the next layer. */
    void goesOn() {
        goesOn = true;
    }

    /** Whether all operations that begin in here end in here. */
    boolean isWhole() {
        return !goesOn;
    }

    /** The changes of an operation are all there. */
    void applied(long lsn) {
        lastLsn = lsn;
    }

    int size() {
        return changes.size();
    }

    long heldBytes() {
        int[] now = slots;
        return changes.heldBytes() + (now == null ? 0 : (long) Integer.BYTES * now.length);
    }

    void addRemoval(byte[] key, long lsn) {
        changes.addRemoval(key, lsn);
        show(key);
    }

    void addValue(byte[] key, long lsn, byte[] value) {
        changes.addValue(key, lsn, value);
        show(key);
    }

    void addPointer(byte[] key, long lsn, ValuePointer pointer) {
        changes.addPointer(key, lsn, pointer);
        valueBytes.setOpaque(valueBytes.getPlain() + pointer.recordBytes(key.length));
        show(key);
    }

    private void show(byte[] key) {
        int[] now = slots;
        if (now != null) {
            now = 2 * usedSlots < now.length ? now : enlarge(now);
            show(now, key, changes.newest());
        }
    }

    private void show(int[] target, byte[] key, int place) {
        long hash = keyHash.of(key);
        int tag = tag(hash);
        int at = begin(hash, target.length);
        int slot = target[at];
        while (slot != 0 && !((slot & ~PLACE) == tag && changes.isOf(place(slot), key))) {
            at = at + 1 < target.length ? at + 1 : 0;
            slot = target[at];
        }
        usedSlots += slot == 0 ? 1 : 0;
        SLOT.setRelease(target, at, tag | (place + 1));
    }

    private int[] enlarge(int[] small) {
        int[] larger = new int[2 * small.length];
        usedSlots = 0;
        for (int slot : small) {
            if (slot != 0) {
                show(larger, changes.keyAt(place(slot)), place(slot));
            }
        }
        slots = larger;
        return larger;
    }

    private static int tag(long hash) {
        return (int) hash << PLACE_BITS;
    }

    private static int begin(long hash, int length) {
        return (int) (((hash >>> Integer.SIZE) * length) >>> Integer.SIZE);
    }

    private static int place(int slot) {
        return (slot & PLACE) - 1;
    }

    /** Where the newest change of a key lies, or -1 if there is none. */
    private int find(byte[] key, long hash) {
        int[] now = slots;
        if (now == null) {
            throw new IllegalStateException("changes cannot be found before there is a table of them");
        }
        int tag = tag(hash);
        int at = begin(hash, now.length);
        while (true) {
            int slot = (int) SLOT.getAcquire(now, at);
            if (slot == 0) {
                return -1;
            }
            if ((slot & ~PLACE) == tag && changes.isOf(place(slot), key)) {
                return place(slot);
            }
            at = at + 1 < now.length ? at + 1 : 0;
        }
    }

    /** The newest change of a key, or null if there is none. */
    LoggedChanges.@Nullable Found newest(byte[] key, long hash) {
        int place = find(key, hash);
        return place < 0 ? null : changes.found(place);
    }

    /** Bytes of the records of values that the changes brought. */
    long valueBytes() {
        return valueBytes.getOpaque();
    }

    /** Whether there is a change of a key. */
    boolean holds(byte[] key, long hash) {
        return find(key, hash) >= 0;
    }

    /** Bytes of the records of values that changes in here lead to, by number of the segment. */
    Map<Long, Long> recordBytes() {
        Map<Long, Long> bytes = new HashMap<>();
        changes.forEach(place -> {
            ValuePointer pointer = changes.pointerAt(place);
            if (pointer != null) {
                bytes.merge(pointer.segment(), pointer.recordBytes(changes.keyAt(place).length), Long::sum);
            }
        });
        return bytes;
    }

    /** Whether a newer change of a key is elsewhere. */
    @FunctionalInterface
    interface IsNewer {

        boolean test(byte[] key, long hash);
    }

    /**
     * Tells the index of the newest change of each key, if there is none elsewhere that is newer; with the lock for putting.
     */
    void tell(HashIndex known, IsNewer isNewer) {
        changes.forEach(place -> {
            byte[] key = changes.keyAt(place);
            long hash = keyHash.of(key);
            if (find(key, hash) != place || isNewer.test(key, hash)) {
                return;
            }
            ValuePointer pointer = changes.pointerAt(place);
            if (pointer == null) {
                known.forget(key);
            } else {
                known.put(key, pointer);
            }
        });
    }

    /** In the order of keys; nothing is added any more. */
    LoggedChanges sorted() {
        if (!isSorted) {
            changes.sort();
            isSorted = true;
        }
        return changes;
    }

    /**
     * Gives up all changes, which are in the tree, if they could not be found, so that nobody knows where they are; with the
     * lock for putting.
     *
     * @return memory for others, or null
     */
    @Nullable
    LoggedChanges giveUp() {
        if (isSearchable()) {
            return null;
        }
        LoggedChanges memory = changes;
        changes = new LoggedChanges(LoggedChanges.MAX_BYTES);
        memory.clearKeepingMemory();
        return memory;
    }

    /** How many of the sorted ones are in the tree. */
    int mergedTo() {
        return mergedTo;
    }

    void mergedTo(int count) {
        mergedTo = count;
    }
}
