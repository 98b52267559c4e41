package io.kvstore.lsm;

import io.kvstore.engine.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Memory outside the heap that is taken piece by piece and given back as a whole. A place is an {@code int}: the number of
 * a chunk and the offset in it, counted in 8 bytes. One writer; readers may follow any place that the writer published by a
 * release store after allocating it.
 *
 * <p>What does not fit into a chunk gets a region of its own, which takes as many chunk numbers as it covers; the segment of
 * each of them reaches to the end of the region.
 */
final class ArenaChunks {

    private static final int UNIT_SHIFT = 3;
    private static final int UNIT = 1 << UNIT_SHIFT;

    private static final int GROWTH_PART = 4;
    private static final long LARGEST_REGION_BYTES = 1 << 20;

    private final Arena arena;
    private final MemoryBudget budget;
    private final int chunkShift;
    private final int mask;
    private final long leastGrowthBytes;
    private MemorySegment[] chunks = new MemorySegment[8];
    private int chunkCount;
    private long top;
    private long limit;
    private long spareTop;
    private long spareLimit;
    private long takenBytes;

    /**
     * Nothing yet.
     *
     * @param chunkBytes size of a chunk, a power of two, and of the first region
     * @param leastGrowthBytes so much more is taken at a time, at least, a multiple of {@code chunkBytes}
     */
    ArenaChunks(Arena arena, MemoryBudget budget, int chunkBytes, int leastGrowthBytes) {
        this.arena = arena;
        this.budget = budget;
        this.chunkShift = Integer.numberOfTrailingZeros(chunkBytes) - UNIT_SHIFT;
        this.mask = (1 << chunkShift) - 1;
        this.leastGrowthBytes = leastGrowthBytes;
    }

    /** The bytes that an allocation of so many takes. */
    static long rounded(long bytes) {
        return (bytes + UNIT - 1) & -UNIT;
    }

    /**
     * Makes room so that allocations of {@code bytes} together, each rounded, cannot fail.
     *
     * @param force whether to take memory that the budget does not have
     * @return false if the budget does not have it
     */
    boolean ensure(long bytes, boolean force) {
        long units = bytes >> UNIT_SHIFT;
        if (limit - top >= units) {
            return true;
        }
        if (spareLimit - spareTop >= units) {
            swap();
            return true;
        }
        long chunkUnits = mask + 1L;
        long least = Math.max(units, chunkUnits);
        return addRegion(Math.max(least, grownUnits(chunkUnits)), force) || addRegion(least, force);
    }

    /** More at a time once anything was taken: small regions that are given back stay with the process, see {@code mallopt}. */
    private long grownUnits(long chunkUnits) {
        long bytes = takenBytes == 0
                ? 0
                : Math.max(leastGrowthBytes, Math.min(takenBytes / GROWTH_PART, LARGEST_REGION_BYTES));
        return (bytes >> UNIT_SHIFT) & -chunkUnits;
    }

    private void swap() {
        long oldTop = top;
        long oldLimit = limit;
        top = spareTop;
        limit = spareLimit;
        spareTop = oldTop;
        spareLimit = oldLimit;
    }

    private boolean addRegion(long units, boolean force) {
        long bytes = units << UNIT_SHIFT;
        int first = chunkCount;
        long chunkNumbers = (units + mask) >> chunkShift;
        if (first + chunkNumbers > Integer.MAX_VALUE >> chunkShift) {
            throw new IllegalStateException("a memtable of " + takenBytes + " bytes cannot grow by " + bytes);
        }
        if (force) {
            budget.take(MemoryBudget.Use.MEMTABLE, bytes);
        } else if (!budget.tryTake(MemoryBudget.Use.MEMTABLE, bytes)) {
            return false;
        }
        MemorySegment region;
        try {
            region = arena.allocate(bytes, UNIT);
        } catch (OutOfMemoryError e) {
            budget.release(MemoryBudget.Use.MEMTABLE, bytes);
            throw e;
        }
        takenBytes += bytes;
        int wanted = first + (int) chunkNumbers;
        MemorySegment[] grown =
                wanted > chunks.length ? Arrays.copyOf(chunks, Math.max(wanted, 2 * chunks.length)) : chunks;
        for (int i = first; i < wanted; i++) {
            grown[i] = region.asSlice((long) (i - first) << (chunkShift + UNIT_SHIFT));
        }
        chunks = grown;
        chunkCount = wanted;
        if (limit - top > spareLimit - spareTop) {
            spareTop = top;
            spareLimit = limit;
        }
        top = (long) first << chunkShift;
        limit = top + units;
        return true;
    }

    /** Allocates bytes for which {@link #ensure} made room, all zero. */
    int allocate(long bytes) {
        long units = rounded(bytes) >> UNIT_SHIFT;
        if (limit - top < units) {
            throw new IllegalStateException("no room was made for " + bytes + " bytes");
        }
        int place = (int) top;
        top += units;
        return place;
    }

    /** The segment that holds a place. */
    MemorySegment segment(int place) {
        return chunks[place >>> chunkShift];
    }

    /** Where in its segment a place is. */
    long offset(int place) {
        return (long) (place & mask) << UNIT_SHIFT;
    }

    /** What was taken from the budget. */
    long takenBytes() {
        return takenBytes;
    }
}
