package io.kvstore.lsm.memtable;

import io.kvstore.data.KeyHash;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Entries in no order: a hash table outside the heap to which one writer adds. Nothing is removed. Readers take no lock. Adding
 * to it takes a third of the time that adding to a tree takes. When a walk wants the order, all of the run is sorted.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A slot is written by a release store after the entry that it leads to. It belongs to the same key for ever. A newer
 *       version of the key takes the place of the older one, and leads to it.
 *   <li>A larger table is published by a volatile store when it has all slots of the previous one, which is not written any
 *       more. So a reader misses no entry that was added before it began.
 *   <li>A quarter of a table's slots is free, so a search ends. {@link #prepare} keeps them free.
 *   <li>{@link #reserveBytes} is the most that {@link #prepare} and the given number of insertions allocate.
 * </ol>
 *
 * <pre>
 *   slot:    hash of the key 4 | version 4; the slot is 0 if it is free
 *   version: 1 + the place of an entry if there is no older version, else -1 - the place of these 16 bytes:
 *            place of an entry 4 | version before it 4 | number of versions before it 4 | unused 4
 * </pre>
 */
final class HashRun implements Run {

    /** With this limit, sorting the entries takes at most tens of milliseconds and tens of MiB. */
    static final int MAX_ENTRIES = 1 << 20;

    /** A search for an old version of a key goes past all newer versions. From this number on the run is too deep. */
    private static final int MANY_VERSIONS = 64;

    /** More slots passed by a search, or more than {@code MANY_ALIKE} other keys with the same hash, are hardly ever chance. */
    private static final int MANY_PROBES = 512;

    private static final int MANY_ALIKE = 16;

    private static final int BEFORE = Integer.BYTES;
    private static final int DEPTH = 2 * Integer.BYTES;
    private static final long VERSION_BYTES = 2L * Long.BYTES;
    private static final int LEAST_SLOTS = 64;
    private static final int FREE = 0;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED_LONG = LONG.varHandle();

    private final ChunkArena nodes;
    private final EntryArena entries;
    private final KeyHash keyHash;
    private volatile Table table = new Table(MemorySegment.NULL, 0, 0);

    /** The number of entries that were added completely. */
    private final AtomicInteger count = new AtomicInteger();

    private int keys;
    private boolean isDeep;

    /**
     * The result of {@link #moveTo}: the hash of the key, the slot of the key or the free slot for it, and the contents of that
     * slot.
     */
    private int hash;

    private int slot;
    private long found;

    private volatile @Nullable SortedRun sorted;

    HashRun(ChunkArena nodes, EntryArena entries, KeyHash keyHash) {
        this.keyHash = keyHash;
        this.nodes = nodes;
        this.entries = entries;
    }

    /** A power of two of slots, or none. */
    private record Table(MemorySegment segment, long offset, int slots) {

        long get(int slot) {
            return (long) SHARED_LONG.getAcquire(segment, offset + (long) Long.BYTES * slot);
        }

        void set(int slot, int hash, int version) {
            SHARED_LONG.setRelease(
                    segment,
                    offset + (long) Long.BYTES * slot,
                    ((long) hash << Integer.SIZE) | (version & 0xFFFF_FFFFL));
        }

        int home(int hash) {
            return hash & (slots - 1);
        }

        int next(int slot) {
            return home(slot + 1);
        }
    }

    private static int hashOf(long word) {
        return (int) (word >>> Integer.SIZE);
    }

    @Override
    public boolean isEmpty() {
        return count.getAcquire() == 0;
    }

    @Override
    public boolean isFull() {
        return count.getAcquire() >= MAX_ENTRIES;
    }

    /**
     * Whether a tree is better, because searches may pass many versions of a key, or many keys chosen to have the same hash.
     */
    boolean isDeep() {
        return isDeep;
    }

    @Override
    public long reserveBytes(int insertions) {
        long slots = slotsFor(insertions);
        return VERSION_BYTES * insertions + (slots == table.slots ? 0 : Long.BYTES * slots);
    }

    /** The number of slots with which a quarter is free after the insertions. */
    private long slotsFor(int insertions) {
        long slots = table.slots;
        while (4L * ((long) keys + insertions) > 3L * slots) {
            slots = Math.max(LEAST_SLOTS, 2 * slots);
        }
        return slots;
    }

    /**
     * Grows now, even if the operation turns out not to need a larger table. Otherwise later operations would reserve memory
     * for the larger table again.
     */
    @Override
    public void prepare(int insertions) {
        int slots = Math.toIntExact(slotsFor(insertions));
        if (slots > table.slots) {
            grow(slots);
        }
    }

    @Override
    public int find(byte[] key, long head, long lsn) {
        Table now = table;
        if (now.slots == 0) {
            return NIL;
        }
        int wanted = (int) keyHash.of(key);
        int at = now.home(wanted);
        long word = now.get(at);
        while (word != FREE && !isOf(word, wanted, key, head)) {
            at = now.next(at);
            word = now.get(at);
        }
        return word == FREE ? NIL : visible((int) word, lsn);
    }

    private boolean isOf(long word, int wanted, byte[] key, long head) {
        if (hashOf(word) != wanted) {
            return false;
        }
        int entry = entry((int) word);
        return entries.head(entry) == head && entries.compareTails(entry, key) == 0;
    }

    private int entry(int version) {
        return version > 0 ? version - 1 : get(version, 0);
    }

    /** Returns the next older version, or {@link #FREE}. */
    private int before(int version) {
        return version > 0 ? FREE : get(version, BEFORE);
    }

    private int depth(int version) {
        return version > 0 ? 0 : get(version, DEPTH);
    }

    private int get(int version, int at) {
        return nodes.segment(-1 - version).get(INT, nodes.offset(-1 - version) + at);
    }

    private int visible(int newest, long lsn) {
        for (int version = newest; version != FREE; version = before(version)) {
            int entry = entry(version);
            if (entries.lsn(entry) <= lsn) {
                return entry;
            }
        }
        return NIL;
    }

    @Override
    public void moveTo(byte[] key, long head, long lsn) {
        Table now = table;
        hash = (int) keyHash.of(key);
        slot = now.home(hash);
        found = now.get(slot);
        int probes = 0;
        int alike = 0;
        while (found != FREE && !isOf(found, hash, key, head)) {
            probes++;
            alike += hashOf(found) == hash ? 1 : 0;
            slot = now.next(slot);
            found = now.get(slot);
        }
        isDeep |= probes > MANY_PROBES || alike > MANY_ALIKE;
    }

    @Override
    public boolean holds(byte[] key, long head, long lsn) {
        return found != FREE && entries.lsn(entry((int) found)) == lsn;
    }

    @Override
    public void insert(long head, int entry) {
        if (found != FREE) {
            int depth = 1 + depth((int) found);
            isDeep |= depth >= MANY_VERSIONS;
            table.set(slot, hash, -1 - newVersion(entry, (int) found, depth));
        } else {
            table.set(slot, hash, entry + 1);
            keys++;
        }
        count.setRelease(count.getPlain() + 1);
    }

    private int newVersion(int entry, int before, int depth) {
        int place = nodes.allocate(VERSION_BYTES);
        MemorySegment segment = nodes.segment(place);
        long offset = nodes.offset(place);
        segment.set(INT, offset, entry);
        segment.set(INT, offset + BEFORE, before);
        segment.set(INT, offset + DEPTH, depth);
        return place;
    }

    private static int freeSlot(Table table, int hash) {
        int slot = table.home(hash);
        while (table.get(slot) != FREE) {
            slot = table.next(slot);
        }
        return slot;
    }

    private void grow(int slots) {
        Table old = table;
        int place = nodes.allocate((long) Long.BYTES * slots);
        Table larger = new Table(nodes.segment(place), nodes.offset(place), slots);
        for (int i = 0; i < old.slots; i++) {
            long word = old.get(i);
            if (word != FREE) {
                larger.set(freeSlot(larger, hashOf(word)), hashOf(word), (int) word);
            }
        }
        table = larger;
    }

    /** Sorts once for all entries that are here. Other threads that want the order meanwhile wait. */
    @Override
    public Leaves leaves() {
        int wanted = count.getAcquire();
        SortedRun known = sorted;
        return known != null && known.hasFirst(wanted) ? known : sort(wanted);
    }

    private synchronized SortedRun sort(int wanted) {
        SortedRun known = sorted;
        if (known == null || !known.hasFirst(wanted)) {
            // read before any slot is: of entries that are added meanwhile, one may be found and an older one not
            int least = count.getAcquire();
            known = new SortedRun(entries, places(least), least);
            sorted = known;
        }
        return known;
    }

    /** Returns the places of the given number of entries that were added first, and perhaps of some that are added now. */
    private int[] places(int least) {
        Table now = table;
        int[] places = new int[least];
        int size = 0;
        for (int i = 0; i < now.slots; i++) {
            for (int version = (int) now.get(i); version != FREE; version = before(version)) {
                if (size == places.length) {
                    places = Arrays.copyOf(places, 2 * size + 1);
                }
                places[size++] = entry(version);
            }
        }
        return Arrays.copyOf(places, size);
    }
}
