package io.kvstore.value;

import io.kvstore.data.KeyHash;
import io.kvstore.engine.MemoryBudget;
import io.kvstore.engine.UnusedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the values of keys are that are kept apart, for gets of the newest state that so need not search the table: an
 * adaptive hash index, as InnoDB has one. It knows some keys, not all, and nothing of those whose value is not kept apart. Of
 * a bucket that never lost an entry it also knows which keys are not there, as a Bloom filter does, if its user
 * tells it of every key.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Only the one who changes the table changes the index, before the change is acknowledged. Between two changes an entry
 *       leads to the newest value of its key. So a get that meets an entry sees what it would have seen in the table at that
 *       moment; one that meets none asks the table. Others only tell where a value was {@link #moved}. Who is not the writer
 *       may {@link #offer} what is newest while no change is under way.
 *   <li>A bucket is one cache line of eight entries. An entry is one number that is read and written as a whole; 16 bits of the
 *       key's hash tell entries of a bucket apart. Two keys with the same bits are not told apart, so one of them has no entry;
 *       the record has the key, and whoever follows an entry compares it.
 *   <li>An entry is lost at any time without harm: to another key of its bucket, or when the index grows. The bucket is marked
 *       as lossy before, and stays so. When the builder has seen every key of the table, and not before, each key of a bucket
 *       that is not lossy has its entry there. So a key without one is nowhere in the newest state, if the builder had seen
 *       every key before the bucket was looked at, and the bucket is not lossy after that.
 *   <li>What is not there may be so because of an operation that is being applied: {@link #lsn} is that of the newest one, and
 *       is changed before any entry is.
 *   <li>What was put last waits as {@link PendingEntries}, because the buckets are hardly ever in the processor's caches: of
 *       several that are asked for at a time the lines come together. A get looks there first. What changes the entry of a key
 *       takes what waits to the buckets before, so they change in the order of the calls; a {@link #moved} value does not, and
 *       misses what waits.
 * </ol>
 *
 * <pre>
 *   bits  0..25  offset in the segment
 *   bits 26..46  segment
 *   bit  47      1
 *   bits 48..63  of the key's hash
 * </pre>
 */
public final class HashIndex implements AutoCloseable {

    private static final int OFFSET_BITS = 26;
    private static final int SEGMENT_BITS = 21;
    private static final int TAG_SHIFT = 48;
    private static final long IN_USE = 1L << (OFFSET_BITS + SEGMENT_BITS);
    private static final int BUCKET_BYTES = HashBuckets.BUCKET_BYTES;
    private static final int BUCKET_ENTRIES = BUCKET_BYTES / Long.BYTES;
    private static final long LEAST_BYTES = 16 << 10;

    /** The next size is so many times as large. */
    private static final int GROWTH = 16;

    /** So much of what it could know is enough: a key that is not known costs a get several times as much as one that is. */
    private static final double ENOUGH_SHARE = 0.95;

    /** Nothing is known of the key. */
    public static final long UNKNOWN = 0;

    /** The key has no value; no entry looks like this. */
    public static final long ABSENT = 1;

    private static final VarHandle LSN;

    static {
        try {
            LSN = MethodHandles.lookup().findVarHandle(HashIndex.class, "lsn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final VarHandle ENTRY = ValueLayout.JAVA_LONG.varHandle();

    private final MemoryBudget budget;
    private final MemoryBudget.Use use;
    private final long largestBytes;
    private final KeyHash keyHash;
    private final List<Arena> arenas = new ArrayList<>();
    private final PendingEntries pending = new PendingEntries();
    private volatile HashBuckets buckets = new HashBuckets(MemorySegment.NULL, 0);
    private volatile long lsn;
    private @Nullable HashBuckets next;
    private volatile boolean askedFor;
    private long entries;
    private long bytes;

    /** From the budget: what it has, or will have when it is asked for. */
    private long takenBytes;

    private boolean refused;

    /** Whether the memory went to others and no get has asked for the index since. */
    private volatile boolean isGivenBack;

    /** Whether somebody looked for a key since {@link #isUnused}; set without a lock, as it is only a hint. */
    private boolean used;

    /**
     * An empty one, without memory.
     *
     * @param use what its memory counts as
     * @param largestBytes the most that it takes
     */
    public HashIndex(MemoryBudget budget, MemoryBudget.Use use, long largestBytes, KeyHash keyHash) {
        this.keyHash = keyHash;
        this.budget = budget;
        this.use = use;
        this.largestBytes = Long.highestOneBit(largestBytes);
    }

    /** What is asked for by {@link #find}. */
    public long hash(byte[] key) {
        return keyHash.of(key);
    }

    /** How it hashes keys. */
    public KeyHash keyHash() {
        return keyHash;
    }

    /** The entry of a key, or of another with the same bits; or {@link #UNKNOWN}, or {@link #ABSENT}. */
    public long find(long hash) {
        HashBuckets now = buckets;
        if (now.isEmpty()) {
            return UNKNOWN;
        }
        if (!used) {
            used = true;
        }
        boolean hadAll = now.isFilled();
        long waiting = pending.find(hash);
        if (waiting != PendingEntries.NONE) {
            return waiting;
        }
        long bucket = now.bucketOf(hash);
        long tag = hash >>> TAG_SHIFT;
        for (int i = 0; i < BUCKET_ENTRIES; i++) {
            long entry = (long) ENTRY.getAcquire(now.memory(), bucket + (long) Long.BYTES * i);
            if (entry >>> TAG_SHIFT == tag && entry != 0) {
                return entry;
            }
        }
        return hadAll && !now.isLossy(hash) ? ABSENT : UNKNOWN;
    }

    /** The operation that {@link #ABSENT} rests on, asked for after that was found. */
    public long lsn() {
        return lsn;
    }

    /** The changes that follow belong to this operation. */
    public void begin(long operation) {
        LSN.setOpaque(this, operation);
    }

    /** The segment that an entry leads to. */
    public static long segmentOf(long entry) {
        return (entry >>> OFFSET_BITS) & ((1L << SEGMENT_BITS) - 1);
    }

    /** Where in its segment an entry leads to. */
    public static long offsetOf(long entry) {
        return entry & ((1L << OFFSET_BITS) - 1);
    }

    /** The value of a key is there now. Nobody knows whether the entry of the same bits that goes was the key's own. */
    public void put(byte[] key, ValuePointer pointer) {
        put(key, pointer.segment(), pointer.offset());
    }

    /** The same, with where the value is. */
    public void put(byte[] key, long segment, long offset) {
        HashBuckets now = buckets;
        if (now.isEmpty()) {
            return;
        }
        if (!fits(segment, offset)) {
            forget(key);
            return;
        }
        long hash = hash(key);
        long tag = hash >>> TAG_SHIFT;
        pending.add(hash, entry(tag, segment, offset));
        if (pending.isFull()) {
            settle();
        }
    }

    /** Takes what waits to the buckets; only for who changes the index. */
    public void settle() {
        if (pending.isEmpty()) {
            return;
        }
        HashBuckets now = buckets;
        long lines = 0;
        for (int i = 0; i < pending.count(); i++) {
            lines |= (long) ENTRY.get(now.memory(), now.bucketOf(pending.hash(i)));
        }
        if (lines == ABSENT) { // depends on what was read, or else it would not be read
            throw new IllegalStateException("an entry that is none");
        }
        for (int i = 0; i < pending.count(); i++) {
            put(now, pending.hash(i), pending.entry(i));
        }
        pending.clear();
    }

    private void put(HashBuckets now, long hash, long entry) {
        long place = placeFor(now, hash, hash >>> TAG_SHIFT);
        long replaced = (long) ENTRY.get(now.memory(), place);
        if (replaced == 0) {
            entries++;
        } else if (replaced != entry) {
            now.lose(hash);
        }
        ENTRY.setRelease(now.memory(), place, entry);
    }

    /** The newest value of a key is there, as it has been for a while; told only if that drives nothing out. */
    public void offer(byte[] key, ValuePointer pointer) {
        HashBuckets now = buckets;
        if (now.isEmpty() || !fits(pointer)) {
            return;
        }
        settle();
        long hash = hash(key);
        long place = placeFor(now, hash, hash >>> TAG_SHIFT);
        if ((long) ENTRY.get(now.memory(), place) == 0) {
            entries++;
            ENTRY.setRelease(now.memory(), place, entry(hash >>> TAG_SHIFT, pointer));
        }
    }

    private static boolean fits(ValuePointer pointer) {
        return fits(pointer.segment(), pointer.offset());
    }

    private static boolean fits(long segment, long offset) {
        return offset < 1L << OFFSET_BITS && segment < 1L << SEGMENT_BITS;
    }

    private static long entry(long tag, ValuePointer pointer) {
        return entry(tag, pointer.segment(), pointer.offset());
    }

    private static long entry(long tag, long segment, long offset) {
        return (tag << TAG_SHIFT) | IN_USE | (segment << OFFSET_BITS) | offset;
    }

    private static boolean isEntry(long found, long tag, @Nullable ValuePointer pointer) {
        return pointer != null && fits(pointer) && found == entry(tag, pointer);
    }

    /** The entry of the same bits, else a free one, else one that the hash chooses. */
    private static long placeFor(HashBuckets now, long hash, long tag) {
        long bucket = now.bucketOf(hash);
        long free = -1;
        for (int i = 0; i < BUCKET_ENTRIES; i++) {
            long place = bucket + (long) Long.BYTES * i;
            long entry = (long) ENTRY.get(now.memory(), place);
            if (entry != 0 && entry >>> TAG_SHIFT == tag) {
                return place;
            }
            free = entry == 0 && free < 0 ? place : free;
        }
        return free >= 0 ? free : bucket + (tag & (BUCKET_ENTRIES - 1)) * Long.BYTES;
    }

    /** Whatever was known of the key is not known any more, nor perhaps of another. */
    public void forget(byte[] key) {
        HashBuckets now = buckets;
        if (now.isEmpty()) {
            return;
        }
        settle();
        long hash = hash(key);
        long place = placeFor(now, hash, hash >>> TAG_SHIFT);
        long entry = (long) ENTRY.get(now.memory(), place);
        now.lose(hash);
        VarHandle.releaseFence();
        if (entry != 0 && entry >>> TAG_SHIFT == hash >>> TAG_SHIFT) {
            ENTRY.setRelease(now.memory(), place, 0L);
            entries--;
        }
    }

    /**
     * The value of a key was copied from one place to another; for any thread, beside the one who changes the table. What waits
     * does not hear of it: {@link #settle} was called after the key was put.
     */
    public synchronized void moved(byte[] key, int keyLength, ValuePointer from, ValuePointer to) {
        HashBuckets now = buckets;
        if (now.isEmpty() || !fits(from) || !fits(to)) {
            return;
        }
        long hash = hash(Arrays.copyOf(key, keyLength));
        long tag = hash >>> TAG_SHIFT;
        long bucket = now.bucketOf(hash);
        for (int i = 0; i < BUCKET_ENTRIES; i++) {
            long place = bucket + (long) Long.BYTES * i;
            if (isEntry((long) ENTRY.get(now.memory(), place), tag, from)) {
                ENTRY.compareAndSet(now.memory(), place, entry(tag, from), entry(tag, to));
            }
        }
    }

    /** The key, of which nothing is known, has a value that is not kept apart. */
    public void lose(byte[] key) {
        HashBuckets now = buckets;
        if (!now.isEmpty()) {
            now.lose(hash(key));
        }
    }

    /** Every key of the table was put or lost since the index became as large as it is; means nothing without memory. */
    public void filled() {
        if (!buckets.isEmpty()) {
            buckets.filled();
        }
    }

    /** Whether it knows all it could. */
    public boolean isFilled() {
        return buckets.isFilled();
    }

    /**
     * Gets need it: {@link #prepare} makes it from now on. Where nobody gets anything, to tell it of every put is in vain. If
     * there was no memory for it before, that is tried again.
     */
    public void askFor() {
        askedFor = true;
        isGivenBack = false;
        refused = false;
    }

    /** Whether it is made, if there is memory for it. */
    public boolean isAskedFor() {
        return askedFor;
    }

    /** Whether it would know much more of so many keys if it grew; before it is asked for: if it were to be larger. */
    public boolean wantsMore(long keys) {
        long has = askedFor ? bytes : takenBytes;
        return has < largestBytes && !refused && !isGivenBack && keys * Long.BYTES > has * 3 / 4;
    }

    /** Whether it knows less than half of what it could know of so many keys. */
    public boolean isSparse(long keys) {
        return entries * 2 < Math.min(keys, bytes / Long.BYTES);
    }

    /** Whether a part of so many keys that is worth a walk is not known, though there is room for it. */
    public boolean missesSome(long keys) {
        return entries < ENOUGH_SHARE * Math.min(keys, bytes / Long.BYTES);
    }

    /**
     * Takes the memory for a larger index, which {@link #grow} puts in the place of this one: to have it cleared takes tens of
     * milliseconds, which whoever changes the table should not wait for. Before the index is {@linkplain #askFor asked for},
     * the memory is only set aside in the budget. One thread at a time. If there is no memory, it is not tried again before the
     * index is asked for once more.
     *
     * @param mayTake whether the budget may be asked for more than was set aside
     * @return whether {@link #grow} is to be called
     */
    public boolean prepare(long keys, boolean mayTake) {
        long wanted = Math.max(LEAST_BYTES, bytes);
        while (wanted < largestBytes && keys * Long.BYTES > wanted * 3 / 4) {
            wanted *= GROWTH;
        }
        wanted = Math.min(wanted, largestBytes);
        if (mayTake && !refused && wanted > takenBytes) {
            refused = !budget.tryTake(use, wanted - takenBytes);
            takenBytes = refused ? takenBytes : wanted;
            if (refused && askedFor) {
                budget.noteRefused(use, wanted - bytes);
            }
        }
        if (askedFor && next == null && takenBytes > bytes) {
            next = allocate(takenBytes);
        }
        return next != null;
    }

    private @Nullable HashBuckets allocate(long wanted) {
        Arena arena = Arena.ofShared();
        boolean made = false;
        try {
            HashBuckets result = new HashBuckets(arena.allocate(wanted, BUCKET_BYTES), wanted / BUCKET_BYTES);
            arenas.add(arena); // smaller ones before it, a fifteenth at most, stay beside it
            made = true;
            return result;
        } catch (OutOfMemoryError e) {
            refused = true;
            budget.release(use, wanted - bytes);
            takenBytes = bytes;
            return null;
        } finally {
            if (!made) {
                arena.close();
            }
        }
    }

    /** Becomes as large as was prepared, and empty. */
    public void grow() {
        HashBuckets larger = next;
        if (larger != null) {
            settle(); // who still looks into the buckets of before finds it there
            bytes = larger.memory().byteSize();
            entries = 0;
            buckets = larger;
            next = null;
        }
    }

    /** The memory it has. */
    public long bytes() {
        return bytes;
    }

    /** How many keys it knows; roughly, for who does not change it. */
    public long entries() {
        return entries;
    }

    /** Whether it has memory, and nobody looked for a key since this was asked last. */
    public boolean isUnused() {
        boolean result = hasMemory() && !used;
        used = false;
        return result;
    }

    /** Whether it has some or has it set aside; for any thread, as of a moment ago. */
    public boolean hasMemory() {
        return takenBytes > 0;
    }

    /**
     * Forgets everything, and has no memory before gets ask for it again; while no change is under way, and nobody prepares or
     * fills it.
     *
     * @return its memory, where those who look for something just now may still look
     */
    public synchronized UnusedMemory.Given giveBack() {
        if (takenBytes == 0) {
            return UnusedMemory.Given.NONE;
        }
        List<Arena> given = List.copyOf(arenas);
        long givenBytes = takenBytes;
        isGivenBack = true;
        askedFor = false;
        arenas.clear();
        forget();
        return new UnusedMemory.Given(givenBytes, () -> {
            given.forEach(Arena::close);
            budget.release(use, givenBytes);
        });
    }

    private void forget() {
        settle(); // who still looks into the buckets finds there what waited
        takenBytes = 0;
        bytes = 0;
        entries = 0;
        next = null;
        buckets = new HashBuckets(MemorySegment.NULL, 0);
    }

    /** Gives its memory back; nobody may use it any more. */
    @Override
    public synchronized void close() {
        budget.release(use, takenBytes);
        forget();
        arenas.forEach(Arena::close);
        arenas.clear();
    }
}
