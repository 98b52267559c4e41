package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.data.KeyHash;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Snapshots;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValuePointer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Some operations that were applied and are not in the tree yet: their changes in the order in which they came, a hash table
 * that leads to the newest one of each key and from there to those before, and the order of keys as far as somebody wanted it.
 * One thread at a time adds; any thread finds and looks.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A change never changes, and lies there before the slot that leads to it is written, by a release store. A slot leads to
 *       changes of one key only, each newer than the one before. What a change says of the one before of its key is there
 *       before the slot too; so all of a key's changes are found.
 *   <li>A larger table has all slots before it is shown. Who looks into the smaller one misses only what was added after it
 *       began to look.
 *   <li>Slots lead to where changes lie, which stays so while the changes are sorted.
 *   <li>The changes of whole operations are counted by a release store. Who has read that count sees them, and may sort them.
 *   <li>{@link #runs} are the changes up to {@link #sortedTo} in the order of keys, in parts that follow each other in the
 *       order in which they came; none of them ever changes. What the tree gets next is sorted in place if none of it is in a
 *       run, and then it is one. So who makes a run finds all behind {@code sortedTo} in the order in which it came.
 *   <li>Memory is given up only if nobody has seen where a change is, by a slot or in a run.
 * </ol>
 *
 * <p>The monitor is held by who sorts or gives up memory; it is taken after all other locks.
 *
 * <pre>
 *   slot: 0, or above 24 bits of the place and one 8 bits of the key's hash
 * </pre>
 */
final class ChangeLayer {

    private static final int LEAST_SLOTS = 64;
    private static final int PLACE_BITS = 24;
    private static final int PLACE = (1 << PLACE_BITS) - 1;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(int[].class);

    private final KeyHash keyHash;
    private ChangeArena changes;
    private volatile int @Nullable [] slots;
    private int usedSlots;
    private long firstLsn;
    private long lastLsn;
    private boolean goesOn;
    private long goesOnLsn;

    /** How many changes there are of whole operations. */
    private final AtomicInteger whole = new AtomicInteger();

    private final List<SortedChanges> runs = new ArrayList<>();
    private final AtomicLong runBytes = new AtomicLong();
    private int sortedTo;
    private boolean isSeen;

    /** How many are in the tree, of the one who merges; and what is on its way. */
    private int mergedTo;

    private @Nullable LayerPiece piece;

    /** Of the one who adds; others see what it was a moment ago. */
    private final AtomicLong valueBytes = new AtomicLong();

    /**
     * None yet.
     *
     * @param keyHash how keys are hashed
     * @param changes where they are to be, without any
     */
    ChangeLayer(KeyHash keyHash, ChangeArena changes) {
        this.keyHash = keyHash;
        this.changes = changes;
    }

    /** What follows are the changes from this operation on; before others see it. */
    void begin(long lsn) {
        firstLsn = lsn;
        lastLsn = lsn;
    }

    /** Whether changes of an operation that follow are to be in another layer. */
    boolean isEnough(long mostBytes) {
        return changes.recordBytes() >= mostBytes;
    }

    /**
     * Has the memory for changes, so that adding them takes none.
     *
     * @param from of the first one
     * @return of the first one that is to be in another layer
     */
    int reserve(List<Mutation> mutations, int from, Sizes sizes) {
        int to = from;
        if (isEnough(sizes.mostBytes)) {
            return from;
        }
        if (mutations.size() == 1) {
            changes.reserve(ChangeArena.bytes(mutations.getFirst(), sizes.leastApartBytes));
            to++;
        } else {
            ChangeArena.Room room = changes.room();
            long all = changes.recordBytes();
            while (to < mutations.size() && all < sizes.mostBytes) {
                int bytes = ChangeArena.bytes(mutations.get(to), sizes.leastApartBytes);
                room.add(bytes);
                all += bytes;
                to++;
            }
        }
        int[] now = slots;
        if (now != null && 2 * (usedSlots + to - from) >= now.length) {
            enlarge(now, usedSlots + to - from);
        }
        return to;
    }

    /**
     * What changes take.
     *
     * @param leastApartBytes values of so many bytes or more are kept apart
     * @param mostBytes changes of one operation are in another layer when those in one take so much
     */
    record Sizes(int leastApartBytes, long mostBytes) {}

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
            changes.forEach(place -> {
                byte[] key = changes.keyAt(place);
                usedSlots += show(made, key, keyHash.of(key), place) ? 1 : 0;
            });
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

    /** The newest operation that something in here is of. */
    long newestLsn() {
        return goesOn ? goesOnLsn : lastLsn;
    }

    /** An operation goes on in the next layer. */
    void goesOn(long lsn) {
        goesOn = true;
        goesOnLsn = lsn;
        whole.setRelease(changes.size());
    }

    /** The changes of an operation are all there. */
    void applied(long lsn) {
        lastLsn = lsn;
        whole.setRelease(changes.size());
    }

    int size() {
        return changes.size();
    }

    long heldBytes() {
        int[] now = slots;
        return changes.heldBytes() + (now == null ? 0 : (long) Integer.BYTES * now.length);
    }

    /** The heap that it has, as far as a thread knows that does not sort. */
    long takenBytes() {
        int[] now = slots;
        return changes.takenBytes() + (now == null ? 0 : (long) Integer.BYTES * now.length) + runBytes.getOpaque();
    }

    void addRemoval(byte[] key, long lsn) {
        changes.addRemoval(key, lsn);
        show(key);
    }

    void addValue(byte[] key, long lsn, byte[] value) {
        changes.addValue(key, lsn, value);
        show(key);
    }

    void addPointer(byte[] key, long lsn, long segment, long offset, int valueLength) {
        changes.addPointer(key, lsn, segment, offset, valueLength);
        valueBytes.setOpaque(valueBytes.getPlain() + ValuePointer.recordBytes(key.length, valueLength));
        show(key);
    }

    private void show(byte[] key) {
        int[] now = slots;
        if (now != null) {
            now = 2 * usedSlots < now.length ? now : enlarge(now, usedSlots);
            usedSlots += show(now, key, keyHash.of(key), changes.newest()) ? 1 : 0;
        }
    }

    /** Lets a slot lead to a change, and that to the one to which the slot led before; whether it led nowhere. */
    private boolean show(int[] target, byte[] key, long hash, int place) {
        int tag = tag(hash);
        int at = begin(hash, target.length);
        int slot = target[at];
        while (slot != 0 && !((slot & ~PLACE) == tag && changes.isOf(place(slot), key))) {
            at = at + 1 < target.length ? at + 1 : 0;
            slot = target[at];
        }
        if (slot != 0) {
            changes.follow(place, place(slot));
        }
        SLOT.setRelease(target, at, tag | (place + 1));
        return slot == 0;
    }

    private int[] enlarge(int[] small, int used) {
        int[] larger = new int[Math.max(2 * small.length, 2 * used + LEAST_SLOTS)];
        int moved = 0;
        for (int slot : small) {
            if (slot != 0) {
                byte[] key = changes.keyAt(place(slot));
                moved += show(larger, key, keyHash.of(key), place(slot)) ? 1 : 0;
            }
        }
        usedSlots = moved;
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

    /** The newest change of a key that is not after an operation, or null if there is none. */
    ChangeArena.@Nullable Found newest(byte[] key, long hash, long lsn) {
        int place = find(key, hash);
        while (place >= 0 && changes.lsnAt(place) > lsn) {
            place = changes.before(place);
        }
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

    /**
     * What the tree gets next; nothing is added any more. It ends where the first open snapshot ends that does not see all of
     * the rest.
     *
     * @return null if the tree has everything
     */
    @Nullable
    LayerPiece nextPiece(Snapshots snapshots) {
        int size = changes.size();
        if (piece == null && mergedTo < size) {
            long first = changes.lsnOf(mergedTo);
            int to = size;
            for (long open : snapshots.openLsns()) {
                if (open >= first && to == size) {
                    to = changes.countUpTo(mergedTo, size, open);
                }
            }
            long last = to < size ? changes.lsnOf(to - 1) : lastLsn;
            piece = new LayerPiece(sorted(mergedTo, to), first, last, to < size || !goesOn);
        }
        return piece;
    }

    /** A piece is in the tree. */
    void merged(LayerPiece done) {
        mergedTo += done.sorted().size();
        piece = null;
    }

    private SortedChanges sorted(int from, int to) {
        synchronized (this) {
            if (from == sortedTo) {
                SortedChanges piece = changes.sort(from, to);
                runs.add(piece);
                sortedTo = to;
                return piece;
            }
            sortUpTo(to);
            if (from == 0 && to == sortedTo) {
                while (runs.size() > 1) {
                    mergeLast();
                }
                return runs.getFirst();
            }
        }
        return changes.sort(from, to); // who looks has runs of these
    }

    /** All changes of whole operations in the order of their keys, in parts. */
    synchronized List<SortedChanges> runs() {
        isSeen = true;
        sortUpTo(whole.getAcquire());
        return List.copyOf(runs);
    }

    /** Of runs that are about as large as the ones that follow one is made: so there are few, and each change is in few. */
    private void sortUpTo(int count) {
        if (count > sortedTo) {
            runBytes.setOpaque((long) Long.BYTES * count);
            runs.add(changes.sortedCopy(sortedTo, count));
            sortedTo = count;
            while (runs.size() > 1
                    && runs.get(runs.size() - 2).size() <= 2 * runs.getLast().size()) {
                mergeLast();
            }
        }
    }

    private void mergeLast() {
        SortedChanges last = runs.removeLast();
        runs.add(runs.removeLast().with(last));
    }

    /**
     * Gives up all changes, which are in the tree, if nobody knows where they are; with the lock for putting.
     *
     * @return memory for others, or null
     */
    @Nullable
    synchronized ChangeArena giveUp() {
        if (isSearchable() || isSeen) {
            return null;
        }
        ChangeArena memory = changes;
        changes = new ChangeArena(ChangeArena.MAX_BYTES);
        whole.setRelease(0);
        runs.clear();
        sortedTo = 0;
        memory.clearKeepingMemory();
        return memory;
    }
}
