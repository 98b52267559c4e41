package io.kvstore.memory;

import io.kvstore.io.StorageFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of memory outside the heap, from which the disk can be written past the system's file cache. Data that is gathered in
 * a block is not copied once more. The store makes blocks when they are needed, and keeps them for reuse: new memory is cleared
 * each time, and memory that was let go stays with the process until the next garbage collection. The budget leaves room for
 * blocks that are still to be made. There are few blocks, and a caller that gets none does without. Safe for any number of
 * threads.
 */
public final class WriteBlocks {

    public static final int BLOCK_BYTES = 4 << 20;

    /** Enough for the blocks that wait for the disk while writers need not wait, one that is filled and one that is written. */
    private static final int MOST_BLOCKS = 6;

    private static final int MOST_PART_OF_BUDGET = 8;

    private final MemoryBudget budget;
    private final int mostBlocks;
    private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();

    /** The number of blocks, free or not. A block is counted here after the budget has counted it. */
    private volatile int count;

    WriteBlocks(MemoryBudget budget) {
        this.budget = budget;
        this.mostBlocks = (int) Math.min(MOST_BLOCKS, budget.totalBytes() / MOST_PART_OF_BUDGET / BLOCK_BYTES);
    }

    /** A block with any content, which the caller gives back. Null if all are taken, or the system has no memory for one. */
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

    /** Gives a block back. Another caller may have it at once. */
    public synchronized void give(MemorySegment block) {
        free.push(block);
    }

    /** The bytes that the budget counts for blocks that nobody uses now. */
    public synchronized long keptBytes() {
        return (long) free.size() * BLOCK_BYTES;
    }

    /** The bytes of blocks that are still to be made. The budget does not count them yet. */
    long comingBytes() {
        return (long) (mostBlocks - count) * BLOCK_BYTES;
    }
}
