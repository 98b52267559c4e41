package io.kvstore.lsm.memtable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Memory outside the heap that is taken piece by piece and given back as a whole. A place is an {@code int}: the number of
 * a chunk and the offset in it, counted in units of 8 bytes. There is one writer. Readers may follow any place that the
 * writer published by a release store after allocating it.
 *
 * <p>An allocation that does not fit into a chunk gets a region of its own, which takes as many chunk numbers as it covers.
 * The segment of each of these numbers reaches to the end of the region.
 */
final class ChunkArena {

    private static final int UNIT_SHIFT = 3;
    private static final int UNIT = 1 << UNIT_SHIFT;

    private static final int GROWTH_PART = 4;
    private static final long LARGEST_REGION_BYTES = 1 << 20;

    /** The first region, all that a table with few writes has. */
    private static final long FIRST_REGION_BYTES = 4 << 10;

    /** A region has at least this part of the memory taken so far, so there are at most some hundreds of regions. */
    private static final int LEAST_PART = 64;

    private final Arena arena;
    private final MemTableMemory memory;
    private final int heapPart;
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
     * @param chunkBytes size of a chunk, a power of two
     * @param leastGrowthBytes the least that is taken at a time, once this number of bytes was taken; a multiple of a chunk
     * @param heapPart for memory on the heap that is made from the contents, this part of the bytes taken is counted in
     *     addition; 0 for none
     */
    ChunkArena(Arena arena, MemTableMemory memory, int chunkBytes, int leastGrowthBytes, int heapPart) {
        this.arena = arena;
        this.memory = memory;
        this.heapPart = heapPart;
        this.chunkShift = Integer.numberOfTrailingZeros(chunkBytes) - UNIT_SHIFT;
        this.mask = (1 << chunkShift) - 1;
        this.leastGrowthBytes = leastGrowthBytes;
    }

    /** The bytes that an allocation takes, which are a multiple of a unit. */
    static long rounded(long bytes) {
        return (bytes + UNIT - 1) & -UNIT;
    }

    /** Makes room so that allocations of {@code bytes} together, each rounded, cannot fail. False if there is no memory. */
    boolean ensure(long bytes) {
        long units = bytes >> UNIT_SHIFT;
        if (limit - top >= units) {
            return true;
        }
        if (spareLimit - spareTop >= units) {
            swap();
            return true;
        }
        long least = leastUnits(units);
        return addRegion(Math.max(least, grownUnits())) || addRegion(least);
    }

    /** The least that {@link #ensure} takes from the budget, or 0 if there is room. */
    long leastBytes(long bytes) {
        long units = bytes >> UNIT_SHIFT;
        boolean hasRoom = limit - top >= units || spareLimit - spareTop >= units;
        return hasRoom ? 0 : counted(leastUnits(units) << UNIT_SHIFT);
    }

    private long leastUnits(long units) {
        return Math.max(units, even(Math.clamp(takenBytes / LEAST_PART, FIRST_REGION_BYTES, chunkBytes())));
    }

    /** The more was taken, the more is taken at a time: the process keeps small regions that are freed, see {@code mallopt}. */
    private long grownUnits() {
        long bytes = takenBytes < leastGrowthBytes
                ? takenBytes
                : Math.max(leastGrowthBytes, Math.min(takenBytes / GROWTH_PART, LARGEST_REGION_BYTES));
        return even(bytes);
    }

    /** Rounds down to whole chunks, or to whole first regions if there is less than a chunk. Returns units. */
    private long even(long bytes) {
        return (bytes & -(bytes < chunkBytes() ? FIRST_REGION_BYTES : chunkBytes())) >> UNIT_SHIFT;
    }

    private long chunkBytes() {
        return (mask + 1L) << UNIT_SHIFT;
    }

    private long counted(long bytes) {
        return heapPart == 0 ? bytes : bytes + bytes / heapPart;
    }

    private void swap() {
        long oldTop = top;
        long oldLimit = limit;
        top = spareTop;
        limit = spareLimit;
        spareTop = oldTop;
        spareLimit = oldLimit;
    }

    private boolean addRegion(long units) {
        long bytes = units << UNIT_SHIFT;
        int first = chunkCount;
        long chunkNumbers = (units + mask) >> chunkShift;
        if (first + chunkNumbers > Integer.MAX_VALUE >> chunkShift) {
            throw new IllegalStateException("a memtable of " + takenBytes + " bytes cannot grow by " + bytes);
        }
        if (!memory.tryTake(counted(bytes))) {
            return false;
        }
        MemorySegment region;
        try {
            region = arena.allocate(bytes, UNIT);
        } catch (OutOfMemoryError e) {
            memory.giveBack(counted(bytes));
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

    /** Allocates zeroed bytes for which {@link #ensure} made room. */
    int allocate(long bytes) {
        long units = rounded(bytes) >> UNIT_SHIFT;
        if (limit - top < units) {
            throw new IllegalStateException("no room was made for " + bytes + " bytes");
        }
        int place = (int) top;
        top += units;
        return place;
    }

    MemorySegment segment(int place) {
        return chunks[place >>> chunkShift];
    }

    long offset(int place) {
        return (long) (place & mask) << UNIT_SHIFT;
    }

    long takenBytes() {
        return takenBytes;
    }
}
