package io.kvstore.lsm.memtable;

import io.kvstore.data.KeyHead;
import io.kvstore.data.Mutation;
import io.kvstore.engine.HintCounter;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.lsm.entry.MergingCursor;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.options.SeparatedValues;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The newest entries of a table, outside the heap: every version of every key. Cursors show them ordered by key and, within
 * a key, from the newest lsn to the oldest.
 *
 * <h2>Concurrency</h2>
 *
 * <p>One writer at a time, under the table's write lock. Readers take no lock. They hold the memtable by an epoch or by a
 * {@code Version} that they pinned. {@link Runs}, {@link HashRun} and {@link TreeRun} say how a reader finds entries while
 * the writer adds some.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Entries never change, and never go away before the whole memtable does.
 *   <li>No two entries have the same key and lsn.
 *   <li>{@link #reserve} makes room for all that {@link #apply} allocates, so that {@link #apply} cannot fail.
 * </ol>
 */
public final class MemTable {

    private static final int LEAST_CHUNK_BYTES = 8 << 10;
    private static final long CACHED_BYTES = 1 << 20;

    /** Sorting takes 4 bytes of heap for each entry. An entry takes 40 bytes or more of the index. */
    private static final int SORTED_PART = 8;

    private final Arena arena = Arena.ofShared();
    private final MemTableMemory memory;
    private final ChunkArena index;
    private final ChunkArena values;
    private final EntryArena entries;
    private final Runs runs;
    private final SeparatedValues apart;
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicLong entryCount = new AtomicLong();
    private final AtomicLong firstLsn = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong lastLsn = new AtomicLong();
    private final AtomicLong takenBytes = new AtomicLong();
    private final AtomicLong apartBytes = new AtomicLong();
    private final AtomicLong tombstones = new AtomicLong();

    private final HintCounter scattered = new HintCounter();

    /** The newest run. Used by the writer only. */
    private Run run;

    public MemTable(MemTableMemory memory, LsmOptions options, SeparatedValues apart) {
        this(memory, options.chunkBytes(), options.runBytes(), apart);
    }

    /**
     * @param chunkBytes how much memory is taken at a time, a power of two
     * @param runBytes see {@link Runs}
     */
    public MemTable(MemTableMemory memory, int chunkBytes, long runBytes, SeparatedValues apart) {
        this.memory = memory;
        this.apart = apart;
        this.index =
                new ChunkArena(arena, memory, Math.max(chunkBytes / 4, LEAST_CHUNK_BYTES), chunkBytes, SORTED_PART);
        this.values = new ChunkArena(arena, memory, chunkBytes, chunkBytes, 0);
        this.entries = new EntryArena(index, values, apart.log(), apart.fromBytes());
        this.runs = new Runs(index, entries, runBytes, apart.known().keyHash());
        this.run = runs.next();
    }

    /** Makes room for the mutations, also a little {@code beyond} the budget. Returns false if there is no memory for them. */
    public boolean reserve(List<Mutation> mutations, boolean beyond) {
        run = runs.next();
        Need need = need(mutations);
        try {
            boolean reserved = ensure(need) || (beyond && memory.tryTakeBeyond(leastBytes(need)) && ensure(need));
            if (reserved) {
                run.prepare(mutations.size());
                entries.prepare(mutations.size());
                apart.log().reserve(mutations.reversed(), apart.fromBytes()); // in the order in which they are applied
            }
            return reserved;
        } finally {
            takenBytes.setRelease(index.takenBytes() + values.takenBytes());
        }
    }

    /** The memory that an operation needs, for entries and for values beside them. */
    private record Need(long indexBytes, long valueBytes) {}

    private Need need(List<Mutation> mutations) {
        long indexBytes = run.reserveBytes(mutations.size());
        long valueBytes = 0;
        for (int i = 0; i < mutations.size(); i++) {
            Mutation mutation = mutations.get(i);
            indexBytes += EntryArena.entryBytes(mutation);
            valueBytes += entries.valueBytes(mutation);
        }
        return new Need(indexBytes, valueBytes);
    }

    private boolean ensure(Need need) {
        return index.ensure(need.indexBytes) && values.ensure(need.valueBytes);
    }

    private long leastBytes(Need need) {
        return index.leastBytes(need.indexBytes) + values.leastBytes(need.valueBytes);
    }

    /** The least memory that the mutations need beside the room that is there. */
    public long leastBytes(List<Mutation> mutations) {
        return leastBytes(need(mutations));
    }

    /** Adds the mutations under one lsn, which is greater than any before. Of several for one key the last one counts. */
    public void apply(long lsn, List<Mutation> mutations) {
        int added = 0;
        for (int i = mutations.size() - 1; i >= 0; i--) {
            Mutation mutation = mutations.get(i);
            byte[] key = mutation.key();
            long head = KeyHead.of(key);
            run.moveTo(key, head, lsn);
            if (added == 0 || !run.holds(key, head, lsn)) {
                int entry = entries.add(lsn, head, mutation);
                tell(key, entry);
                run.insert(head, entry);
                added++;
            }
        }
        entryCount.setRelease(entryCount.getPlain() + added);
        apartBytes.setRelease(entries.apartBytes());
        tombstones.setRelease(entries.tombstones());
        if (lastLsn.getPlain() == 0) {
            firstLsn.setRelease(lsn);
        }
        lastLsn.setRelease(lsn);
    }

    /** Tells the hash index before readers find the entry in the run: they get a value again that they got from the index. */
    private void tell(byte[] key, int entry) {
        HashIndex known = apart.known();
        if (known.bytes() == 0) {
            return; // there are no gets, so not even the entry is read
        }
        if (entries.kind(entry) == EntryKind.VALUE_POINTER) {
            known.put(key, entries.pointer(entry));
        } else {
            known.forget(key);
        }
    }

    /** Looks for the newest visible version of a key. Returns whether its value is kept apart. */
    public boolean find(Lookup lookup) throws IOException {
        int entry = runs.find(lookup.key(), lookup.head(), lookup.viewLsn());
        if (entry == Run.NIL) {
            return false;
        }
        boolean isApart = entries.kind(entry) == EntryKind.VALUE_POINTER;
        if (isApart && !lookup.wantsValue()) {
            lookup.foundPointer(entries.lsn(entry), entries.pointer(entry));
        } else {
            boolean isLent = isApart && apart.log().lend(entries.pointer(entry), entries.lsn(entry), lookup.lent());
            lookup.found(entries.lsn(entry), isLent ? LentValue.ELSEWHERE : value(entry, lookup.key()));
        }
        return isApart;
    }

    /** The lsn of the newest version of a key, or 0. */
    public long newest(byte[] key) {
        int entry = runs.find(key, KeyHead.of(key), Long.MAX_VALUE);
        return entry == Run.NIL ? 0 : entries.lsn(entry);
    }

    private byte @Nullable [] value(int entry, byte[] key) throws IOException {
        return switch (entries.kind(entry)) {
            case EntryKind.TOMBSTONE -> null;
            case EntryKind.VALUE_POINTER -> readApart(entries.pointer(entry), key);
            default -> entries.value(entry);
        };
    }

    private byte[] readApart(ValuePointer pointer, byte[] key) throws IOException {
        byte[] value = apart.log().read(pointer, key);
        if (value == null) {
            throw new CorruptionException(
                    apart.log().path(pointer.segment()), -1, "a value is there, and the file is not");
        }
        return value;
    }

    public Set<Long> segments() {
        return Arrays.stream(entries.segments()).boxed().collect(Collectors.toSet());
    }

    public boolean hasLongValues() {
        return apartBytes.getAcquire() > 0;
    }

    public long tombstones() {
        return tombstones.getAcquire();
    }

    /** Whether the memtable has reached one of the two limits. */
    public boolean isFull(long memTableBytes, long mostApartBytes) {
        return takenBytes() >= memTableBytes || apartBytes.getAcquire() >= mostApartBytes;
    }

    /** Notes that a cursor had to wait for a value in a segment that was not near the previous one. */
    public void noteScattered() {
        scattered.increment();
    }

    /**
     * Whether cursors have waited once for each value. If the memtable has less than {@code memTableBytes} of values in
     * segments, it is worth a file only after cursors have waited {@code worthwhile} times. A memtable with few bytes of
     * values is never scattered, because they are in the processor's cache.
     */
    public boolean isScattered(long memTableBytes, long worthwhile) {
        long bytes = apartBytes.getAcquire();
        return bytes >= CACHED_BYTES
                && scattered.get() > (bytes >= memTableBytes ? entries() : Math.max(entries(), worthwhile));
    }

    /** Adds cursors to {@code sources} that together show all entries. */
    public void addCursors(List<EntryCursor> sources, boolean reversed) {
        runs.addCursors(sources, reversed);
    }

    public EntryCursor cursor(boolean reversed) {
        List<EntryCursor> sources = new ArrayList<>();
        addCursors(sources, reversed);
        return MergingCursor.of(sources, reversed);
    }

    /** Called by the writer. Whether {@link #sort} may have work to do that was not reported before. */
    public boolean takeUnsorted() {
        return runs.takeUnsorted();
    }

    /** Sorts runs that are complete and unsorted, so that no cursor has to sort them. */
    public void sort() {
        runs.sort();
    }

    int runCount() {
        return runs.count();
    }

    public long entries() {
        return entryCount.getAcquire();
    }

    public boolean isEmpty() {
        return runs.isEmpty();
    }

    /** The lsn of the oldest operation that was applied as a whole. Greater than any lsn if there is none. */
    public long firstLsn() {
        return firstLsn.getAcquire();
    }

    /** The lsn of the newest operation, or 0 if there is none. */
    public long lastLsn() {
        return lastLsn.getAcquire();
    }

    long takenBytes() {
        return takenBytes.getAcquire();
    }

    /** Memory taken from the budget. */
    public long countedBytes() {
        return memory.takenBytes();
    }

    /** Counts one more version that has this memtable. */
    public void retain() {
        holders.incrementAndGet();
    }

    /** Counts one version less. The last one gives the memory back. */
    public void release() {
        if (holders.decrementAndGet() == 0) {
            arena.close();
            memory.release();
            try {
                for (int i = 0; i < entries.segmentCount(); i++) {
                    apart.log().release(entries.segment(i));
                }
            } catch (Throwable e) {
                Notices.warning(MemTable.class, null, "segments of values stay until the table is closed", e);
            }
        }
    }
}
