package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.data.KeyHash;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Snapshots;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.ValuePointer;
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
 * Operations that are applied and not merged into the tree yet. A layer has their changes in the order in which they came, a
 * hash table that leads to the newest change of each key and from there to the older ones, and the order of keys as far as a
 * thread asked for it. One thread at a time adds changes; any thread finds and reads them.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A change never changes. It is in its place before the slot that leads to it is written, by a release store. A slot
 *       leads to changes of one key only, each newer than the one before. The link from a change to the one before of the same
 *       key is also set before the slot. So all changes of a key are found.
 *   <li>{@link #keys} has the key of a slot before the slot leads to a change.
 *   <li>A larger table has all slots before it is published. A reader of the smaller table misses only changes that were added
 *       after it began to look.
 *   <li>A slot leads to the place of a change. The place stays the same while changes are sorted.
 *   <li>The changes of whole operations are counted by a release store. A thread that has read that count sees these changes
 *       and may sort them.
 *   <li>{@link #runs} have the changes up to {@link #sortedTo}, each run in the order of keys. The runs follow each other in
 *       the order in which the changes came, and a run never changes. The next piece for the tree is sorted in place if no run
 *       has any of its changes, and it then becomes a run. So all changes behind {@code sortedTo} still lie in the order in
 *       which they came.
 *   <li>Memory is given up only if no thread has seen the place of a change, by a slot or in a run.
 * </ol>
 *
 * <p>A thread holds the monitor while it sorts or gives up memory. The monitor is taken after all other locks.
 *
 * <pre>
 *   slot: 0 if empty, or else 8 bits of the key's hash above 24 bits of the place plus one
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
    private final LayerKeys keys = new LayerKeys();
    private long firstLsn;
    private long lastLsn;
    private boolean goesOn;
    private long goesOnLsn;

    /** How many changes readers may sort: those of whole operations, or of one that goes on in the next layer. */
    private final AtomicInteger whole = new AtomicInteger();

    private final List<SortedChanges> runs = new ArrayList<>();
    private final AtomicLong runBytes = new AtomicLong();
    private int sortedTo;
    private boolean isSeen;

    /** How many changes are in the tree. This and {@link #piece}, which is on its way, belong to the thread that merges. */
    private int mergedTo;

    private @Nullable LayerPiece piece;

    /** Written by the thread that adds changes. Other threads read the value of a moment ago. */
    private final AtomicLong valueBytes = new AtomicLong();

    ChangeLayer(KeyHash keyHash, ChangeArena changes) {
        this.keyHash = keyHash;
        this.changes = changes;
    }

    /** Sets the first operation of the layer. Called before other threads see the layer. */
    void begin(long lsn) {
        firstLsn = lsn;
        lastLsn = lsn;
    }

    /** Whether further changes of an operation are to be in another layer. */
    boolean isEnough(long mostBytes) {
        return changes.recordBytes() >= mostBytes;
    }

    /** Reserves memory for the changes from an index on. Returns the index of the first that is to be in another layer. */
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

    /** @param mostBytes when a layer has this many bytes, further changes of an operation go to another layer */
    record Sizes(int leastApartBytes, long mostBytes) {}

    boolean isSearchable() {
        return slots != null;
    }

    /** Makes the hash table, if there is none, with room for these changes. Called while no changes are added. */
    void makeSearchable(int expected) {
        if (slots == null) {
            fill(new int[Math.max(LEAST_SLOTS, 2 * Math.max(expected, 2 * changes.size()))]);
        }
    }

    long firstLsn() {
        return firstLsn;
    }

    /** The last operation that this layer has the end of. */
    long lastLsn() {
        return lastLsn;
    }

    /** The newest operation that this layer has a change of. */
    long newestLsn() {
        return goesOn ? goesOnLsn : lastLsn;
    }

    /** Called when an operation goes on in the next layer. */
    void goesOn(long lsn) {
        goesOn = true;
        goesOnLsn = lsn;
        whole.setRelease(changes.size());
    }

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

    /** Bytes of the heap that the layer takes. Read without the monitor, so the bytes of runs may be those of a moment ago. */
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
        if (now == null) {
            return;
        }
        if (2 * usedSlots < now.length) {
            usedSlots += show(now, key, keyHash.of(key), changes.newest()) ? 1 : 0;
        } else {
            enlarge(now, usedSlots); // shows all changes
        }
    }

    /** Lets a slot lead to a change, and the change to the one before. Returns whether the slot was empty. */
    private boolean show(int[] target, byte[] key, long hash, int place) {
        keys.add(key);
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

    private void enlarge(int[] small, int used) {
        fill(new int[Math.max(2 * small.length, 2 * used + LEAST_SLOTS)]);
    }

    /**
     * Lets a new table lead to all changes, as they lie in memory: in the order of an older table's slots each would be
     * elsewhere. The links from a change to the one before are set once more, as they were.
     */
    private void fill(int[] made) {
        usedSlots = 0;
        changes.forEach(place -> {
            byte[] key = changes.keyAt(place);
            usedSlots += show(made, key, keyHash.of(key), place) ? 1 : 0;
        });
        slots = made;
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

    /** The place of the newest change of a key, or -1 if there is none. */
    private int find(byte[] key, long hash) {
        int[] now = slots;
        if (now == null) {
            throw new IllegalStateException("changes cannot be found before there is a table of them");
        }
        if (!keys.mayHave(key)) {
            return -1;
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

    /** The newest change of a key, of the operations up to {@code lsn}; or null if there is none. */
    ChangeArena.@Nullable Found newest(byte[] key, long hash, long lsn) {
        int place = find(key, hash);
        while (place >= 0 && changes.lsnAt(place) > lsn) {
            place = changes.before(place);
        }
        return place < 0 ? null : changes.found(place);
    }

    long valueBytes() {
        return valueBytes.getOpaque();
    }

    boolean holds(byte[] key, long hash) {
        return find(key, hash) >= 0;
    }

    /** Bytes of the value records that these changes lead to, by segment number. */
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

    /** Tells whether a newer change of a key is in another layer. */
    @FunctionalInterface
    interface IsNewer {

        boolean test(byte[] key, long hash);
    }

    /** Tells the index of the newest change of each key, unless another layer has a newer one. With the lock for putting. */
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
     * The next piece for the tree. Called when no changes are added any more. The piece ends where the first open snapshot ends
     * that does not see all of the remaining changes.
     *
     * @return null if the tree has all changes
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

    void merged(LayerPiece done) {
        mergedTo += done.sorted.size();
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
        return changes.sort(from, to); // views have these changes in runs of their own
    }

    /** All changes of whole operations, in runs. Each run is in the order of keys. */
    synchronized List<SortedChanges> runs() {
        isSeen = true;
        sortUpTo(whole.getAcquire());
        return List.copyOf(runs);
    }

    /**
     * Merges the last two runs while the one before the last is at most twice as large. So there are few runs, and a change is
     * copied by few of these merges.
     */
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
     * Gives up all changes, which are in the tree, unless a thread may know their places. Returns their memory, or null. With
     * the lock for putting.
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
