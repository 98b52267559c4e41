package io.kvstore.memory;

import io.kvstore.error.InvalidRequestException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The off-heap memory of one store, shared by all its tables. Bytes are counted when they are taken. Nothing is set aside
 * except room for values on their way to the disk, so that a store that has filled its memory with pages can still be written
 * fast. The heap memory of waiting changes is counted separately.
 */
public final class MemoryBudget {

    /** The purposes that memory is taken for. */
    public enum Use {
        /** Memtables, active and immutable. */
        MEMTABLE,
        /** Frames of the page buffer. */
        PAGE_BUFFER,
        /** Indexes and filters of immutable files. */
        FILE_METADATA,
        /** Hash indexes of values that are kept apart, and of tables that have no other index. */
        HASH_INDEX,
        /** Value segments that are not on disk yet, and the blocks that they are written from, in use or not. */
        VALUE_TAIL,
        /** Changes on the heap that wait to be merged into a tree. They have a bound of their own. */
        CHANGES,
        /** Places on the heap of replaced values that open views may show. They have a bound of their own. */
        HISTORY;

        /** Whether the memory is on the heap, and so no part of the off-heap memory. */
        public boolean isOnHeap() {
            return this == CHANGES || this == HISTORY;
        }
    }

    /** Memtables leave this part to other uses, and to values on their way to the disk, which are taken in any case. */
    private static final int PART_OF_OTHERS = 8;

    /** {@link #tryTakeBeyond} may take this part of the budget in addition to the budget. */
    private static final int BEYOND_PART = 16;

    /** With less than this part of the budget free, callers are soon refused memory. */
    private static final int PART_OF_FREE = 4;

    /** Changes on the heap may take this part of the budget or of the largest heap, whichever is less. */
    private static final int PART_OF_CHANGES = 4;

    /** Places of replaced values may take this part of the budget or of the largest heap, whichever is less. */
    private static final int PART_OF_HISTORY = 8;

    /** If changes take more than this part of their limit, they are merged into their trees even though there is room. */
    private static final int MANY_CHANGES_PART = 2;

    private final long totalBytes;
    private final long changesBytes;
    private final long historyBytes;
    private final long mappableBytes;
    private final AtomicLong mappedBytes = new AtomicLong();
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong everTakenBytes = new AtomicLong();
    private final AtomicLong beyondBytes = new AtomicLong();
    private final AtomicLong missingBytes = new AtomicLong();
    private final MemoryHolders holders = new MemoryHolders();
    private final MemoryHolders changeHolders = new MemoryHolders();
    private final Map<Use, AtomicLong> byUse = new EnumMap<>(Use.class);
    private final WriteBlocks writeBlocks;
    private final Set<UnusedMemory> unused = ConcurrentHashMap.newKeySet();

    /** A budget that allows no mappings. */
    public MemoryBudget(long totalBytes) {
        this(totalBytes, 0);
    }

    /** A budget of at least 1 MiB. Files may be mapped in addition to {@code totalBytes}. */
    public MemoryBudget(long totalBytes, long mappableBytes) {
        if (totalBytes < 1 << 20) {
            throw new InvalidRequestException("memoryBytes is " + totalBytes + "; give 1048576 (1 MiB) or more");
        }
        this.totalBytes = totalBytes;
        long heapBytes = Math.min(totalBytes, Runtime.getRuntime().maxMemory());
        this.changesBytes = heapBytes / PART_OF_CHANGES;
        this.historyBytes = heapBytes / PART_OF_HISTORY;
        this.mappableBytes = mappableBytes;
        for (Use use : Use.values()) {
            byUse.put(use, new AtomicLong());
        }
        this.writeBlocks = new WriteBlocks(this);
    }

    public WriteBlocks writeBlocks() {
        return writeBlocks;
    }

    /** Whether {@link #tryTake} would take the given number of bytes now. */
    public boolean hasRoom(Use use, long bytes) {
        return bytes <= mostBytes(use) - usedBytes.get();
    }

    private long mostBytes(Use use) {
        return switch (use) {
            case MEMTABLE -> totalBytes - totalBytes / PART_OF_OTHERS;
            case PAGE_BUFFER, FILE_METADATA, HASH_INDEX -> totalBytes - writeBlocks.comingBytes();
            case VALUE_TAIL, CHANGES, HISTORY -> totalBytes;
        };
    }

    /**
     * Takes bytes if they are free. For memtables, an eighth of the budget must stay free. For pages, file metadata and hash
     * indexes, room must stay for the {@linkplain #writeBlocks blocks} that are still to be made. Returns false, and takes
     * nothing, if there is no room.
     */
    public boolean tryTake(Use use, long bytes) {
        long now;
        do {
            now = usedBytes.get();
            if (bytes > mostBytes(use) - now) {
                return false;
            }
        } while (!usedBytes.compareAndSet(now, now + bytes));
        everTakenBytes.addAndGet(bytes);
        counter(use).addAndGet(bytes);
        return true;
    }

    /**
     * Takes bytes beyond the budget: all callers together at most a sixteenth of the budget, or one caller any number of bytes
     * while no other has taken bytes beyond. So a writer goes on, slowly, when others have the whole budget. The bytes are
     * given back by {@link #releaseBeyond}.
     */
    public boolean tryTakeBeyond(Use use, long bytes) {
        long now;
        do {
            now = beyondBytes.get();
            if (!isLittle(now, bytes)) {
                return false;
            }
        } while (!beyondBytes.compareAndSet(now, now + bytes));
        take(use, bytes);
        return true;
    }

    /** Whether {@link #tryTakeBeyond} would take the given number of bytes now. */
    public boolean hasRoomBeyond(long bytes) {
        return isLittle(beyondBytes.get(), bytes);
    }

    private boolean isLittle(long now, long bytes) {
        return now == 0 || now + bytes <= totalBytes / BEYOND_PART;
    }

    public void releaseBeyond(Use use, long bytes) {
        release(use, bytes);
        beyondBytes.addAndGet(-bytes);
    }

    public void add(MemoryHolder holder) {
        holders.add(holder);
    }

    /** From now on the holder, of changes on the heap, may be asked to give some back if all changes take too many bytes. */
    public void addChanges(MemoryHolder holder) {
        changeHolders.add(holder);
    }

    /** When this has returned, the holder is not asked to give back memory any more. */
    public void remove(MemoryHolder holder) {
        holders.remove(holder);
        changeHolders.remove(holder);
    }

    /** The most bytes that changes on the heap may take. A caller that finds more bytes taken waits before it adds a change. */
    public long mostChangesBytes() {
        return changesBytes;
    }

    /** Whether changes on the heap have reached their limit. */
    public boolean isFullOfChanges() {
        return counter(Use.CHANGES).get() >= changesBytes;
    }

    /** The most bytes that places of replaced values may take. A caller that finds more taken waits before it adds one. */
    public long mostHistoryBytes() {
        return historyBytes;
    }

    /** Whether places of replaced values have reached their limit. */
    public boolean isFullOfHistory() {
        return counter(Use.HISTORY).get() >= historyBytes;
    }

    /**
     * Has changes on the heap merged into their trees if they take more than half of their limit. Tables with the most changes
     * and tables that rest come first. Does not wait. The caller has no lock that a {@link MemoryHolder} needs.
     */
    public void askForChanges() {
        long missing = counter(Use.CHANGES).get() - changesBytes / MANY_CHANGES_PART;
        if (missing > 0) {
            changeHolders.ask(this, missing);
        }
    }

    /**
     * Has others give back the bytes that {@link #tryTake} lacks to take the given number of bytes soon. Does not wait. The
     * caller asks again while there is no room. It has no lock that a {@link MemoryHolder} needs.
     */
    public void askFor(Use use, long bytes) {
        long missing = bytes - (mostBytes(use) - usedBytes.get());
        if (missing > 0) {
            holders.ask(this, missing);
        }
    }

    /** Whether holders have memory to give back, or are giving some back. Unused memory does not count. */
    public boolean mayComeBack() {
        return holders.mayGive();
    }

    /** Whether more than the budget is taken, and values on their way to the disk have more than memtables leave. */
    public boolean isShortOfTail() {
        return usedBytes.get() > totalBytes && counter(Use.VALUE_TAIL).get() > totalBytes / PART_OF_OTHERS;
    }

    /** The sum of all bytes that were ever taken. It is a clock that stands still while nobody needs memory. */
    public long everTakenBytes() {
        return everTakenBytes.get();
    }

    /**
     * Notes that a caller was refused memory. The caller waits for these bytes, or goes on without them and gives up the same
     * number of its own. The sum of the missing bytes says how much unused memory is worth to others.
     */
    public void noteMissing(long bytes) {
        missingBytes.addAndGet(bytes);
    }

    /**
     * Notes that a caller asked for all these bytes at once and was refused. Only the bytes that were not free count as
     * {@linkplain #noteMissing missing}.
     */
    public void noteRefused(Use use, long bytes) {
        noteMissing(Math.max(0, bytes - (mostBytes(use) - usedBytes.get())));
    }

    /** Whether a caller was refused memory since the last call of {@link #takeMissingBytes}. */
    public boolean isMissed() {
        return missingBytes.get() > 0;
    }

    /** The bytes that were {@linkplain #noteMissing missing} since the last call of this method. */
    public long takeMissingBytes() {
        return missingBytes.getAndSet(0);
    }

    /** Whether less than a quarter of the budget is free, so that callers may be refused memory soon. */
    public boolean isNearlyTaken() {
        return usedBytes.get() > totalBytes - totalBytes / PART_OF_FREE;
    }

    /** From now on the holder is asked to give back memory that it does not use, until {@link #remove}. */
    public void add(UnusedMemory holder) {
        unused.add(holder);
    }

    /** The holder has nothing to give back any more, and is not asked again. */
    public void remove(UnusedMemory holder) {
        unused.remove(holder);
    }

    /** All holders of memory that may be unused. Holders that come or go meanwhile may be included or not. */
    public Iterable<UnusedMemory> unused() {
        return unused;
    }

    /** Takes bytes even if they are not free, for work that must go on: few, or given back soon. */
    public void take(Use use, long bytes) {
        usedBytes.addAndGet(use.isOnHeap() ? 0 : bytes);
        everTakenBytes.addAndGet(bytes);
        counter(use).addAndGet(bytes);
    }

    public void release(Use use, long bytes) {
        usedBytes.addAndGet(use.isOnHeap() ? 0 : -bytes);
        counter(use).addAndGet(-bytes);
    }

    /** The most bytes of files that may be mapped at a time. */
    public long mappableBytes() {
        return mappableBytes;
    }

    /** Whether the given number of bytes of a file may be mapped. If so, they count as mapped from now on. */
    public boolean tryMap(long bytes) {
        if (mappedBytes.addAndGet(bytes) <= mappableBytes) {
            return true;
        }
        unmap(bytes);
        return false;
    }

    public void unmap(long bytes) {
        mappedBytes.addAndGet(-bytes);
    }

    /** The most bytes that may be taken at a time. */
    public long totalBytes() {
        return totalBytes;
    }

    /** The off-heap bytes that are taken now. */
    public long usedBytes() {
        return usedBytes.get();
    }

    /** The bytes that are taken now, by use, including changes on the heap. */
    public Map<Use, Long> usedByUse() {
        Map<Use, Long> result = new EnumMap<>(Use.class);
        for (Use use : Use.values()) {
            result.put(use, counter(use).get());
        }
        return result;
    }

    private AtomicLong counter(Use use) {
        return Objects.requireNonNull(byUse.get(use));
    }
}
