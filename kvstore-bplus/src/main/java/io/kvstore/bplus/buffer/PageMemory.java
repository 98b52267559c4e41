package io.kvstore.bplus.buffer;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.memory.MemoryBudget;
import java.lang.foreign.Arena;
import java.util.List;

/**
 * The memory of the pages in a buffer: a frame for each page of one unit, and a piece of its own for each longer page. Guarded
 * by the buffer's monitor, except for {@link #freeUnits}, which any thread may ask.
 */
final class PageMemory {

    private final MemoryBudget budget;
    private final FramePool frames;
    private long capacityUnits;
    private long usedUnits;
    private volatile long freeUnits;

    PageMemory(MemoryBudget budget, FramePool frames, long capacityBytes) {
        this.budget = budget;
        this.frames = frames;
        this.capacityUnits = capacityBytes / PageFile.UNIT_BYTES;
    }

    /** Sets the most bytes of pages. Fewer units may be free than none until pages go. */
    void limit(long capacityBytes) {
        capacityUnits = capacityBytes / PageFile.UNIT_BYTES;
        use(0);
    }

    /** Makes a page with memory. The memory is taken from the machine if none is at hand. */
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

    void give(Page page) {
        use(-page.units());
        if (page.frame() >= 0) {
            frames.give(page.frame());
        } else {
            close(page);
        }
    }

    /** As {@link #give}, when all frames are given back as a whole. */
    void close(Page page) {
        if (page.frame() < 0) {
            budget.release(MemoryBudget.Use.PAGE_BUFFER, page.bytes().byteSize());
        }
    }

    boolean fits(int units) {
        return usedUnits + units <= capacityUnits;
    }

    long usedUnits() {
        return usedUnits;
    }

    /** Units within the capacity that are not used. */
    long freeUnits() {
        return freeUnits;
    }

    /** Bytes of all frames, and of the memory that these pages have beside the frames. */
    long bytesOf(List<Page> pages) {
        long bytes = frames.bytes();
        for (Page page : pages) {
            bytes += page.frame() < 0 ? page.bytes().byteSize() : 0;
        }
        return bytes;
    }
}
