package io.kvstore.bplus.buffer;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.engine.MemoryBudget;
import java.lang.foreign.Arena;
import java.util.List;

/**
 * The memory of the pages in a buffer: frames for pages of one unit, and for each longer page a piece of its own. Guarded by
 * the buffer's monitor, but for {@link #freeUnits}, which any thread may ask.
 */
final class PageMemory {

    private final MemoryBudget budget;
    private final FramePool frames;
    private final long capacityUnits;
    private long usedUnits;
    private volatile long freeUnits;

    PageMemory(MemoryBudget budget, FramePool frames, long capacityBytes) {
        this.budget = budget;
        this.frames = frames;
        this.capacityUnits = capacityBytes / PageFile.UNIT_BYTES;
    }

    /** A page with memory, which is asked from the machine if none is at hand. */
    Page create(long id, int units, long generation) {
        if (units > 1) {
            long bytes = (long) units * PageFile.UNIT_BYTES;
            budget.take(MemoryBudget.Use.PAGE_BUFFER, bytes);
            use(units);
            return new Page(id, Arena.ofAuto().allocate(bytes, PageFile.UNIT_BYTES), -1, generation);
        }
        if (frames.freeFrames() == 0) {
            frames.grow(1);
        }
        int frame = frames.take();
        use(1);
        return new Page(id, frames.memory(frame), frame, generation);
    }

    private void use(int units) {
        usedUnits += units;
        freeUnits = capacityUnits - usedUnits;
    }

    /** The memory of a page is for others from now on. */
    void give(Page page) {
        use(-page.units());
        if (page.frame() >= 0) {
            frames.give(page.frame());
        } else {
            close(page);
        }
    }

    /** The same, for a page whose frames go as a whole. */
    void close(Page page) {
        if (page.frame() < 0) {
            budget.release(MemoryBudget.Use.PAGE_BUFFER, page.bytes().byteSize());
        }
    }

    /** Whether so many units more are within the capacity. */
    boolean fits(int units) {
        return usedUnits + units <= capacityUnits;
    }

    long usedUnits() {
        return usedUnits;
    }

    /** Units that are within the capacity and not used. */
    long freeUnits() {
        return freeUnits;
    }

    /** Bytes that are taken, with what these pages have beside the frames. */
    long bytesOf(List<Page> pages) {
        long bytes = frames.bytes();
        for (Page page : pages) {
            bytes += page.frame() < 0 ? page.bytes().byteSize() : 0;
        }
        return bytes;
    }
}
