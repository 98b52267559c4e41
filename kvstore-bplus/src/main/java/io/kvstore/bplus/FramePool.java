package io.kvstore.bplus;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.engine.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory outside the heap for pages of one unit, taken from the store's budget in chunks as it is needed, and kept until the
 * table is closed. Guarded by its owner.
 */
final class FramePool {

    private static final int MAX_CHUNK_FRAMES = 256;

    private final MemoryBudget budget;
    private final int chunkFrames;
    private final Arena arena = Arena.ofShared();
    private final List<MemorySegment> chunks = new ArrayList<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private volatile int freeFrames;

    FramePool(MemoryBudget budget, long capacityBytes) {
        this.budget = budget;
        this.chunkFrames = Math.clamp(capacityBytes / PageFile.UNIT_BYTES / 4, 2, MAX_CHUNK_FRAMES);
    }

    private long chunkBytes() {
        return (long) chunkFrames * PageFile.UNIT_BYTES;
    }

    /** How much memory there is. */
    long bytes() {
        return chunks.size() * chunkBytes();
    }

    /** How many frames are free; for who does not guard the pool, how many were a moment ago. */
    int freeFrames() {
        return freeFrames;
    }

    /** Takes a chunk more if the budget has it. */
    boolean tryGrow() {
        if (!budget.tryTake(MemoryBudget.Use.PAGE_BUFFER, chunkBytes())) {
            return false;
        }
        addChunk();
        return true;
    }

    /** Takes a chunk more, whatever the budget says. */
    void grow() {
        budget.take(MemoryBudget.Use.PAGE_BUFFER, chunkBytes());
        addChunk();
    }

    private void addChunk() {
        MemorySegment chunk;
        try {
            chunk = arena.allocate(chunkBytes(), PageFile.UNIT_BYTES);
        } catch (OutOfMemoryError e) {
            budget.release(MemoryBudget.Use.PAGE_BUFFER, chunkBytes());
            throw e;
        }
        for (int i = chunkFrames - 1; i >= 0; i--) {
            free.push(chunks.size() * chunkFrames + i);
        }
        chunks.add(chunk);
        freeFrames = free.size();
    }

    /** A free frame; there must be one. */
    int take() {
        int frame = free.pop();
        freeFrames = free.size();
        return frame;
    }

    void give(int frame) {
        free.push(frame);
        freeFrames = free.size();
    }

    MemorySegment memory(int frame) {
        long offset = (long) (frame % chunkFrames) * PageFile.UNIT_BYTES;
        return chunks.get(frame / chunkFrames).asSlice(offset, PageFile.UNIT_BYTES);
    }

    /** Gives everything back; nobody may use it any more. */
    void close() {
        budget.release(MemoryBudget.Use.PAGE_BUFFER, bytes());
        chunks.clear();
        free.clear();
        arena.close();
    }
}
