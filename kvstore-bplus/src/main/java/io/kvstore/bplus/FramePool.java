package io.kvstore.bplus;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.page.Node;
import io.kvstore.engine.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Memory outside the heap for pages of one unit, taken from the store's budget in chunks as it is needed, and kept until the
 * table is closed. A chunk is as large as all before it, within limits: a small table takes little, and a large one takes
 * pieces that the machine can back with huge pages, where it is told to, and that go back to it when the table is closed: glibc
 * gives pieces of 32 MiB a mapping of their own, and keeps smaller ones unless it is told not to. Guarded by its owner.
 */
final class FramePool {

    private static final int LEAST_CHUNK_FRAMES = 16;
    private static final int MOST_CHUNK_FRAMES = 8_192;

    private final MemoryBudget budget;
    private final int capacityFrames;
    private final int mostFrames;
    private final Arena arena = Arena.ofShared();
    private final List<Integer> firstFrames = new ArrayList<>();

    /** The chunks; replaced with each more, and never shorter before this is closed. */
    private volatile MemorySegment[] memories = {};

    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private int frames;
    private volatile int freeFrames;

    FramePool(MemoryBudget budget, long capacityBytes) {
        this.budget = budget;
        this.capacityFrames = (int) Math.min(Integer.MAX_VALUE, capacityBytes / PageFile.UNIT_BYTES);
        this.mostFrames = Math.clamp(capacityFrames / 4, 2, MOST_CHUNK_FRAMES);
    }

    private static long bytesOf(int count) {
        return (long) count * PageFile.UNIT_BYTES;
    }

    /** How much memory there is. */
    long bytes() {
        return bytesOf(frames);
    }

    /** How many frames are free; for who does not guard the pool, how many were a moment ago. */
    int freeFrames() {
        return freeFrames;
    }

    private int leastFrames() {
        return Math.min(LEAST_CHUNK_FRAMES, mostFrames);
    }

    /** The next chunk does not go beyond the capacity if it can help it. */
    private int nextFrames() {
        int next = Math.clamp(frames, leastFrames(), mostFrames);
        return Math.clamp(capacityFrames - frames, leastFrames(), next);
    }

    /** Takes a chunk more if the budget has it, or a smaller one. */
    boolean tryGrow() {
        for (int count = nextFrames(); count >= leastFrames(); count /= 2) {
            if (budget.tryTake(MemoryBudget.Use.PAGE_BUFFER, bytesOf(count))) {
                addChunk(count);
                return true;
            }
        }
        return false;
    }

    /** Takes a chunk more, whatever the budget says. */
    void grow() {
        if (!tryGrow()) {
            budget.take(MemoryBudget.Use.PAGE_BUFFER, bytesOf(leastFrames()));
            addChunk(leastFrames());
        }
    }

    private void addChunk(int count) {
        MemorySegment memory;
        try {
            memory = arena.allocate(bytesOf(count), PageFile.UNIT_BYTES);
        } catch (OutOfMemoryError e) {
            budget.release(MemoryBudget.Use.PAGE_BUFFER, bytesOf(count));
            throw e;
        }
        for (int i = count - 1; i >= 0; i--) {
            free.push(frames + i);
        }
        MemorySegment[] more = Arrays.copyOf(memories, memories.length + 1);
        more[memories.length] = memory;
        memories = more;
        firstFrames.add(frames);
        frames += count;
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

    /** The memory of a frame. */
    MemorySegment memory(int frame) {
        long place = place(frame);
        return memories[chunkOf(place)].asSlice(offsetOf(place), PageFile.UNIT_BYTES);
    }

    /** Where the memory of a frame is; means something to {@link #touch}, and is not negative. */
    long place(int frame) {
        int at = firstFrames.size() - 1;
        while (firstFrames.get(at) > frame) {
            at--;
        }
        return (long) at << Integer.SIZE | bytesOf(frame - firstFrames.get(at));
    }

    private static int chunkOf(long place) {
        return (int) (place >>> Integer.SIZE);
    }

    private static long offsetOf(long place) {
        return place & 0xFFFF_FFFFL;
    }

    /** As {@link Node#touch} for what is at a place now; for any thread. */
    int touch(long place) {
        return Node.touch(memories[chunkOf(place)], offsetOf(place));
    }

    /** Gives everything back; nobody may use it any more. */
    void close() {
        budget.release(MemoryBudget.Use.PAGE_BUFFER, bytes());
        frames = 0;
        firstFrames.clear();
        free.clear();
        arena.close();
    }
}
