package io.kvstore.engine;

import io.kvstore.error.InvalidRequestException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The off-heap memory of one store, shared by all its tables. Bytes are counted as they are taken, and nothing is set aside but
 * room for values on their way to the disk, so that a store that has filled its memory with pages can still be written fast.
 * What changes on the heap wait in is counted beside it.
 *
 * <p>Who finds no room asks for it: the largest {@link MemoryHolder}s, and those that rest before those that are busy, give
 * back what they have. What is taken whether it is free or not ({@link #take}) is small, or ends soon.
 * Pages of the buffers that nobody uses go too, a moment later: see {@link UnusedMemory}.
 */
public final class MemoryBudget {

    /** What memory is used for. */
    public enum Use {
        /** Memtables, active and immutable. */
        MEMTABLE,
        /** Frames of the page buffer. */
        PAGE_BUFFER,
        /** Indexes and filters of immutable files. */
        FILE_METADATA,
        /** Hash indexes of values that are kept apart. */
        HASH_INDEX,
        /** Value segments that are not on disk yet, and the blocks that they are written from, in use or not. */
        VALUE_TAIL,
        /** Changes on the heap that wait for being brought into a tree; they have a bound of their own. */
        CHANGES;

        /** Whether it is on the heap, and no part of the memory beside it. */
        public boolean isOnHeap() {
            return this == CHANGES;
        }
    }

    /** Memtables leave this part to others, as to what is taken whether it is free or not: values on their way to the disk. */
    private static final int PART_OF_OTHERS = 8;

    /** Of the whole: what {@link #tryTakeBeyond} may take beside it. */
    private static final int BEYOND_PART = 16;

    /** With less of the whole than this part free, memory is soon refused. */
    private static final int PART_OF_FREE = 4;

    /** Changes on the heap may have this part of the whole, and of the largest heap. */
    private static final int PART_OF_CHANGES = 4;

    /** What has more of that than this part is brought into its tree, though there is room. */
    private static final int MANY_CHANGES_PART = 2;

    private final long totalBytes;
    private final long changesBytes;
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

    /** Nothing may be mapped. */
    public MemoryBudget(long totalBytes) {
        this(totalBytes, 0);
    }

    /**
     * What a store has.
     *
     * @param totalBytes the most that may be taken at a time, at least 1 MiB
     * @param mappableBytes of files that may be mapped at a time, beside that
     */
    public MemoryBudget(long totalBytes, long mappableBytes) {
        if (totalBytes < 1 << 20) {
            throw new InvalidRequestException("memoryBytes is " + totalBytes + "; give 1048576 (1 MiB) or more");
        }
        this.totalBytes = totalBytes;
        this.changesBytes = Math.min(totalBytes, Runtime.getRuntime().maxMemory()) / PART_OF_CHANGES;
        this.mappableBytes = mappableBytes;
        for (Use use : Use.values()) {
            byUse.put(use, new AtomicLong());
        }
        this.writeBlocks = new WriteBlocks(this);
    }

    /** Memory that values are written from. */
    public WriteBlocks writeBlocks() {
        return writeBlocks;
    }

    /** Whether {@link #tryTake} would take so many bytes now. */
    public boolean hasRoom(Use use, long bytes) {
        return bytes <= mostBytes(use) - usedBytes.get();
    }

    private long mostBytes(Use use) {
        return switch (use) {
            case MEMTABLE -> totalBytes - totalBytes / PART_OF_OTHERS;
            case PAGE_BUFFER, FILE_METADATA, HASH_INDEX -> totalBytes - writeBlocks.comingBytes();
            case VALUE_TAIL, CHANGES -> totalBytes;
        };
    }

    /**
     * Takes bytes if they are free: for memtables if an eighth of all stays free, for pages and files if the
     * {@linkplain #writeBlocks blocks} that there may be have room. False, and nothing taken, if not.
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
     * Takes bytes beyond the budget if those who did so before left some of what there is for that, or all of it: a sixteenth
     * of the budget, or one that needs more and is alone. So a writer goes on, slowly, where others have everything. Given back
     * by {@link #releaseBeyond}.
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

    /** Whether {@link #tryTakeBeyond} would take so many bytes now. */
    public boolean hasRoomBeyond(long bytes) {
        return isLittle(beyondBytes.get(), bytes);
    }

    private boolean isLittle(long now, long bytes) {
        return now == 0 || now + bytes <= totalBytes / BEYOND_PART;
    }

    /** Gives bytes back that were taken beyond the budget. */
    public void releaseBeyond(Use use, long bytes) {
        release(use, bytes);
        beyondBytes.addAndGet(-bytes);
    }

    /** Someone can be asked for memory from now on. */
    public void add(MemoryHolder holder) {
        holders.add(holder);
    }

    /** The same of someone who has changes on the heap, and is asked where these have too much. */
    public void addChanges(MemoryHolder holder) {
        changeHolders.add(holder);
    }

    /** Someone is not asked for memory any more when this has returned. */
    public void remove(MemoryHolder holder) {
        holders.remove(holder);
        changeHolders.remove(holder);
    }

    /** What changes on the heap may have: who finds more of it taken waits with another one. */
    public long mostChangesBytes() {
        return changesBytes;
    }

    /** Whether changes on the heap have all that they may have. */
    public boolean isFullOfChanges() {
        return counter(Use.CHANGES).get() >= changesBytes;
    }

    /**
     * Has changes on the heap brought into their trees where many wait, first those of tables that have most of them and rest.
     * Does not wait; as {@link #askFor}.
     */
    public void askForChanges() {
        long missing = counter(Use.CHANGES).get() - changesBytes / MANY_CHANGES_PART;
        if (missing > 0) {
            changeHolders.ask(this, missing);
        }
    }

    /**
     * Has others give back what lacks for {@link #tryTake} to take so many bytes soon. Does not wait; to be asked again while
     * there is no room. Who calls it has no lock that a {@link MemoryHolder} needs.
     */
    public void askFor(Use use, long bytes) {
        long missing = bytes - (mostBytes(use) - usedBytes.get());
        if (missing > 0) {
            holders.ask(this, missing);
        }
    }

    /** Whether more is taken than there is, and values on their way to the disk have more than what is left to them. */
    public boolean isShortOfTail() {
        return usedBytes.get() > totalBytes && counter(Use.VALUE_TAIL).get() > totalBytes / PART_OF_OTHERS;
    }

    /** All bytes that were ever taken: a clock that stands while nobody needs memory. */
    public long everTakenBytes() {
        return everTakenBytes.get();
    }

    /**
     * A caller was refused memory. It waits for these bytes, or goes on without them and gives up as many of its own. Their
     * sum says how much unused memory is worth to others.
     */
    public void noteMissing(long bytes) {
        missingBytes.addAndGet(bytes);
    }

    /** As {@link #noteMissing}, for a caller that asked for all these bytes at once: those that are free do not count. */
    public void noteRefused(Use use, long bytes) {
        noteMissing(Math.max(0, bytes - (mostBytes(use) - usedBytes.get())));
    }

    /** Whether somebody was refused memory since {@link #takeMissingBytes} was called last. */
    public boolean isMissed() {
        return missingBytes.get() > 0;
    }

    /** The bytes that were {@linkplain #noteMissing missing} since this was called last. */
    public long takeMissingBytes() {
        return missingBytes.getAndSet(0);
    }

    /** Whether less than a part of all is free, so that somebody may be refused memory soon. */
    public boolean isNearlyTaken() {
        return usedBytes.get() > totalBytes - totalBytes / PART_OF_FREE;
    }

    /** From now on it is asked to give back what it does not use, until {@link #remove}. */
    public void add(UnusedMemory holder) {
        unused.add(holder);
    }

    /** It has nothing any more. */
    public void remove(UnusedMemory holder) {
        unused.remove(holder);
    }

    /** All holders of memory that may be unused; holders that come or go meanwhile may be among them or not. */
    public Iterable<UnusedMemory> unused() {
        return unused;
    }

    /** Takes bytes whether they are free or not: for what must go on, such as replay. */
    public void take(Use use, long bytes) {
        usedBytes.addAndGet(use.isOnHeap() ? 0 : bytes);
        everTakenBytes.addAndGet(bytes);
        counter(use).addAndGet(bytes);
    }

    /** Gives bytes back. */
    public void release(Use use, long bytes) {
        usedBytes.addAndGet(use.isOnHeap() ? 0 : -bytes);
        counter(use).addAndGet(-bytes);
    }

    /** Whether so many bytes of a file may be mapped; they count as mapped then. */
    public boolean tryMap(long bytes) {
        if (mappedBytes.addAndGet(bytes) <= mappableBytes) {
            return true;
        }
        unmap(bytes);
        return false;
    }

    /** So many bytes are not mapped any more. */
    public void unmap(long bytes) {
        mappedBytes.addAndGet(-bytes);
    }

    /** The most that may be taken at a time. */
    public long totalBytes() {
        return totalBytes;
    }

    /** What is taken now. */
    public long usedBytes() {
        return usedBytes.get();
    }

    /** What is taken now, by use. */
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
