package io.kvstore.value.index;

import io.kvstore.data.KeyHash;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.UnusedMemory;
import io.kvstore.value.segment.ValuePointer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Leads from the hash of a key to the place of its newest value, so that a get of the newest state need not search the table.
 * It is an adaptive hash index like the one of InnoDB. It knows some of the keys whose values are kept apart, and no others.
 * If its user tells it of every key, it also knows which keys are absent in a bucket that never lost an entry, as a Bloom
 * filter does.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Only the writer of the table changes the index, before it acknowledges the change. Between two changes an entry leads
 *       to the newest value of its key. So a get that finds an entry sees the state of the table at that moment; a get that
 *       finds none asks the table. Any thread may tell that a value was {@link #moved}. The filler may {@link #offer} newest
 *       values while no change is under way.
 *   <li>An entry is one number that is read and written atomically. Of two keys of a bucket with equal bits of the hash only
 *       one has an entry. The record has the key, and a reader that follows an entry compares it.
 *   <li>A key without an entry is absent in the newest state if the filler had finished before the bucket was read and the
 *       bucket is not lossy afterwards. The operation that removes the key may still be under way. {@link #lsn} is that of the
 *       newest operation, and is changed before any entry is.
 *   <li>Entries that were put last wait in {@link PendingEntries}, because buckets are hardly ever in the processor's caches:
 *       the lines of several buckets are fetched together. A get looks there first. Each change of an entry except
 *       {@link #moved} takes the waiting entries to the buckets first, so that buckets change in the order of the calls.
 *       {@link #moved} does not find waiting entries.
 * </ol>
 *
 * <p>{@code docs/design/hash-index.md} has the states, the bits of an entry and the other invariants.
 */
public final class HashIndex implements AutoCloseable {

    private static final MemoryBudget.Use USE = MemoryBudget.Use.HASH_INDEX;

    private static final int OFFSET_BITS = 26;
    private static final int SEGMENT_BITS = 21;
    private static final int TAG_SHIFT = 48;
    private static final long IN_USE = 1L << (OFFSET_BITS + SEGMENT_BITS);
    private static final int BUCKET_BYTES = HashBuckets.BUCKET_BYTES;
    private static final int BUCKET_ENTRIES = BUCKET_BYTES / Long.BYTES;
    private static final long LEAST_BYTES = 16 << 10;

    /** The next size is this many times as large. */
    private static final int GROWTH = 16;

    /** The share of the possible entries that is enough. */
    private static final double ENOUGH_SHARE = 0.95;

    /** The answer if nothing is known of the key. */
    public static final long UNKNOWN = 0;

    /** The answer if the key has no value. No entry has this value. */
    public static final long ABSENT = 1;

    private static final VarHandle ENTRY = ValueLayout.JAVA_LONG.varHandle();

    private final MemoryBudget budget;
    private final long largestBytes;
    private final KeyHash keyHash;
    private final List<Arena> arenas = new ArrayList<>();
    private final PendingEntries pending = new PendingEntries();
    private volatile HashBuckets buckets = new HashBuckets(MemorySegment.NULL, 0);
    private final AtomicLong lsn = new AtomicLong();
    private @Nullable HashBuckets next;
    private volatile boolean askedFor;
    private long entries;
    private long bytes;

    /** Bytes taken from the budget, for the present memory or set aside until the index is asked for. */
    private long takenBytes;

    private boolean refused;

    /** Whether the memory went to others. Then none is set aside, and it may be taken whatever others have. */
    private volatile boolean isGivenBack;

    /** Whether a get used the index since the last {@link #isUnused}. Set without a lock, as it is only a hint. */
    private boolean used;

    /** Creates an empty index without memory. */
    public HashIndex(MemoryBudget budget, long largestBytes, KeyHash keyHash) {
        this.keyHash = keyHash;
        this.budget = budget;
        this.largestBytes = Long.highestOneBit(largestBytes);
    }

    public KeyHash keyHash() {
        return keyHash;
    }

    /** Whether it knows nothing of any key. */
    public boolean isEmpty() {
        return buckets.isEmpty();
    }

    /** The entry of the key, or of another key with the same bits; else {@link #UNKNOWN} or {@link #ABSENT}. */
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

    /** The operation on which {@link #ABSENT} rests. The caller asks for it after it got that answer. */
    public long lsn() {
        return lsn.get();
    }

    /** Says that the changes that follow belong to this operation. */
    public void begin(long operation) {
        lsn.setOpaque(operation);
    }

    public static long segmentOf(long entry) {
        return (entry >>> OFFSET_BITS) & ((1L << SEGMENT_BITS) - 1);
    }

    public static long offsetOf(long entry) {
        return entry & ((1L << OFFSET_BITS) - 1);
    }

    /**
     * Sets the place of a key's value. An entry with the same bits that this replaces may be another key's, so the bucket
     * becomes lossy.
     */
    public void put(byte[] key, ValuePointer pointer) {
        put(key, pointer.segment(), pointer.offset());
    }

    public void put(byte[] key, long segment, long offset) {
        HashBuckets now = buckets;
        if (now.isEmpty()) {
            return;
        }
        if (!fits(segment, offset)) {
            forget(key);
            return;
        }
        long hash = keyHash.of(key);
        long tag = hash >>> TAG_SHIFT;
        pending.add(hash, entry(tag, segment, offset));
        if (pending.isFull()) {
            settle();
        }
    }

    /** Takes the waiting entries to the buckets. Only for the thread that changes the index. */
    public void settle() {
        if (pending.isEmpty()) {
            return;
        }
        HashBuckets now = buckets;
        long lines = 0;
        for (int i = 0; i < pending.count(); i++) {
            lines |= (long) ENTRY.get(now.memory(), now.bucketOf(pending.hash(i)));
        }
        if (lines == ABSENT) { // the reads above are kept because their result is used here
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

    /** Sets the place of a key's value that was put earlier and is the newest, if a place is free or has the same bits. */
    public void offer(byte[] key, ValuePointer pointer) {
        HashBuckets now = buckets;
        if (now.isEmpty() || !fits(pointer)) {
            return;
        }
        settle();
        long hash = keyHash.of(key);
        long place = placeFor(now, hash, hash >>> TAG_SHIFT);
        if ((long) ENTRY.get(now.memory(), place) == 0) {
            entries++;
            ENTRY.setRelease(now.memory(), place, entry(hash >>> TAG_SHIFT, pointer.segment(), pointer.offset()));
        }
    }

    private static boolean fits(ValuePointer pointer) {
        return fits(pointer.segment(), pointer.offset());
    }

    private static boolean fits(long segment, long offset) {
        return offset < 1L << OFFSET_BITS && segment < 1L << SEGMENT_BITS;
    }

    private static long entry(long tag, long segment, long offset) {
        return (tag << TAG_SHIFT) | IN_USE | (segment << OFFSET_BITS) | offset;
    }

    /** The entry with the same bits, else a free one, else one that the hash chooses. */
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

    /** Removes the entry of a key, which may be another key's with the same bits, and marks the bucket as lossy. */
    public void forget(byte[] key) {
        HashBuckets now = buckets;
        if (now.isEmpty()) {
            return;
        }
        settle();
        long hash = keyHash.of(key);
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
     * Replaces the place of a key's value that was copied. For any thread, while another one changes the table. A waiting
     * entry is not changed: {@link #settle} was called after the key was put.
     */
    public synchronized void moved(byte[] key, int keyLength, ValuePointer from, ValuePointer to) {
        HashBuckets now = buckets;
        if (now.isEmpty() || !fits(from) || !fits(to)) {
            return;
        }
        long hash = keyHash.of(Arrays.copyOf(key, keyLength));
        long tag = hash >>> TAG_SHIFT;
        long before = entry(tag, from.segment(), from.offset());
        long bucket = now.bucketOf(hash);
        for (int i = 0; i < BUCKET_ENTRIES; i++) {
            long place = bucket + (long) Long.BYTES * i;
            if ((long) ENTRY.get(now.memory(), place) == before) {
                ENTRY.compareAndSet(now.memory(), place, before, entry(tag, to.segment(), to.offset()));
            }
        }
    }

    /** Says that a key of which nothing is known has a value that is not kept apart. */
    public void lose(byte[] key) {
        HashBuckets now = buckets;
        if (!now.isEmpty()) {
            now.lose(keyHash.of(key));
        }
    }

    /** Says that every key was put or lost since the index has its present size. Has no effect without memory. */
    public void filled() {
        if (!buckets.isEmpty()) {
            buckets.filled();
        }
    }

    public boolean isFilled() {
        return buckets.isFilled();
    }

    /**
     * Asks for the index because gets need it: {@link #prepare} makes it from now on. Without gets, telling it of every put
     * would be a waste. If there was no memory for it before, it tries again.
     */
    public void askFor() {
        askedFor = true;
        refused = false;
    }

    /**
     * Whether a larger index would know many more of the given number of keys. Before it is asked for, the size that was set
     * aside in the budget counts. False after memory was refused or given back, until the index is asked for again.
     */
    public boolean wantsMore(long keys) {
        long has = askedFor ? bytes : takenBytes;
        return has < largestBytes && !refused && (askedFor || !isGivenBack) && keys * Long.BYTES > has * 3 / 4;
    }

    /** Whether enough of the keys that it could know out of the given number are missing to be worth a walk. */
    public boolean missesSome(long keys) {
        return entries < ENOUGH_SHARE * Math.min(keys, bytes / Long.BYTES);
    }

    /**
     * Takes the memory for a larger index, which {@link #grow} puts in the place of this one. To clear that memory takes tens
     * of milliseconds, for which the writer should not wait. Before the index is {@linkplain #askFor asked for}, the memory is
     * only set aside in the budget. If there is no memory, it is not tried again before the next {@link #askFor}. One thread
     * at a time.
     *
     * @param mayTake whether the budget may be asked for more than was set aside; it may always after the memory was given
     *     back, until the index has memory again
     * @return whether {@link #grow} is to be called
     */
    public boolean prepare(long keys, boolean mayTake) {
        long wanted = Math.max(LEAST_BYTES, bytes);
        while (wanted < largestBytes && keys * Long.BYTES > wanted * 3 / 4) {
            wanted *= GROWTH;
        }
        wanted = Math.min(wanted, largestBytes);
        if ((mayTake || isGivenBack) && !refused && wanted > takenBytes) {
            refused = !budget.tryTake(USE, wanted - takenBytes);
            takenBytes = refused ? takenBytes : wanted;
            if (refused && askedFor) {
                budget.noteRefused(USE, wanted - bytes);
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
            arenas.add(arena); // smaller ones before it stay beside it, a fifteenth at most
            made = true;
            return result;
        } catch (OutOfMemoryError e) {
            refused = true;
            budget.release(USE, wanted - bytes);
            takenBytes = bytes;
            return null;
        } finally {
            if (!made) {
                arena.close();
            }
        }
    }

    /** Replaces the buckets with the larger, empty ones that were prepared. */
    public void grow() {
        HashBuckets larger = next;
        if (larger != null) {
            settle(); // a reader that still looks into the old buckets finds the waiting entries there
            bytes = larger.memory().byteSize();
            entries = 0;
            buckets = larger;
            next = null;
            isGivenBack = false;
        }
    }

    public long bytes() {
        return bytes;
    }

    /** How many keys it knows. Approximate for a thread that does not change the index. */
    public long entries() {
        return entries;
    }

    /** Whether it has memory and no get used it since the last call. */
    public boolean isUnused() {
        boolean result = hasMemory() && !used;
        used = false;
        return result;
    }

    /** Whether it has memory or has set some aside. For any thread, as of a moment ago. */
    public boolean hasMemory() {
        return takenBytes > 0;
    }

    /**
     * Forgets everything. It has no memory again before gets ask for it. Called while no change is under way, and while no
     * thread prepares or fills it. Returns its memory, which readers may still use for a moment.
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
            budget.release(USE, givenBytes);
        });
    }

    private void forget() {
        settle(); // a reader that still looks into the buckets finds the waiting entries there
        takenBytes = 0;
        bytes = 0;
        entries = 0;
        next = null;
        buckets = new HashBuckets(MemorySegment.NULL, 0);
    }

    /** Gives its memory back. The index must not be used any more. */
    @Override
    public synchronized void close() {
        budget.release(USE, takenBytes);
        forget();
        arenas.forEach(Arena::close);
        arenas.clear();
    }
}
