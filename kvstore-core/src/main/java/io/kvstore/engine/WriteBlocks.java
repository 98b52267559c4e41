package io.kvstore.engine;

import io.kvstore.io.StorageFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap that a disk can be written from past the system's cache of files, in blocks that are used again and
 * again: so what is gathered in one is not copied once more. A store makes them as they are needed, and keeps them: memory that
 * comes and goes is cleared each time, and stays with the process until the next collection. Its budget leaves room for those
 * that are still to come. There are few of them, and who gets none does without. Safe for any number of threads.
 */
public final class WriteBlocks {

    /** The size of a block. */
    public static final int BLOCK_BYTES = 4 << 20;

    /** What waits for the disk while writers need not wait, one that is filled and one that is written. */
    private static final int MOST_BLOCKS = 6;

    private static final int MOST_PART_OF_BUDGET = 8;

    private final MemoryBudget budget;
    private final int mostBlocks;
    private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();

    /** How many there are, free or not; counted after the budget has them. */
    private volatile int count;

    WriteBlocks(MemoryBudget budget) {
        this.budget = budget;
        this.mostBlocks = (int) Math.min(MOST_BLOCKS, budget.totalBytes() / MOST_PART_OF_BUDGET / BLOCK_BYTES);
    }

    /** A block with anything in it, to be given back; null if all are taken, or the system has no memory for another. */
    public synchronized @Nullable MemorySegment take() {
        MemorySegment kept = free.poll();
        if (kept != null || count == mostBlocks) {
            return kept;
        }
        try {
            MemorySegment block = Arena.ofAuto().allocate(BLOCK_BYTES, StorageFile.UNCACHED_UNIT_BYTES);
            budget.take(MemoryBudget.Use.VALUE_TAIL, BLOCK_BYTES);
            count++;
            return block;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** Gives a block back, which another one may have at once. */
    public synchronized void give(MemorySegment block) {
        free.push(block);
    }

    /** What the budget counts for blocks that nobody uses now. */
    public synchronized long keptBytes() {
        return (long) free.size() * BLOCK_BYTES;
    }

    /** What the budget does not count yet, and will when all blocks have been needed at a time. */
    long comingBytes() {
        return (long) (mostBlocks - count) * BLOCK_BYTES;
    }
}
