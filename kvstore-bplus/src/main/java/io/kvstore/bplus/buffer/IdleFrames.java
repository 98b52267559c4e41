package io.kvstore.bplus.buffer;

import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.memory.UnusedMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The memory of a {@link PageBuffer} that can go when others need memory: chunks of frames in which no page was used since this
 * was last asked. If the whole table rests, any chunk can go. Pages that have to be written stay, and so does the first chunk.
 * Nothing goes while a thread changes pages, because the table is in use then. Readers take no lock, and notice by the version
 * of a page that it is gone.
 */
final class IdleFrames implements UnusedMemory {

    private final PageBuffer buffer;
    private final RankedLock writing;
    private final List<Page> pages;
    private final FramePool frames;
    private final Consumer<Page> evict;

    /** Whether a thread looked for a page since {@link #isUnused}. Set without a lock, as it is only a hint. */
    private boolean used;

    /**
     * @param buffer its monitor guards {@code pages}, which are all pages in memory, and {@code frames}
     * @param evict lets a page go
     */
    IdleFrames(PageBuffer buffer, RankedLock writing, List<Page> pages, FramePool frames, Consumer<Page> evict) {
        this.buffer = buffer;
        this.writing = writing;
        this.pages = pages;
        this.frames = frames;
        this.evict = evict;
    }

    /** Called when a thread looks for a page. For any thread. */
    void noteUse() {
        if (!used) {
            used = true;
        }
    }

    @Override
    public boolean isUnused() {
        boolean result = !used;
        used = false;
        return result;
    }

    @Override
    public UnusedMemory.Given giveBack(long wantedBytes) {
        return giveBack(wantedBytes, false);
    }

    @Override
    public UnusedMemory.Given giveBackAny(long wantedBytes) {
        return giveBack(wantedBytes, true);
    }

    private UnusedMemory.Given giveBack(long wantedBytes, boolean any) {
        if (!writing.tryLock()) {
            return UnusedMemory.Given.NONE;
        }
        try {
            synchronized (buffer) {
                return unlink(wantedBytes, lookAtAll(any));
            }
        } finally {
            writing.unlock();
        }
    }

    /** All chunks with their pages. These pages count as not used from now on. */
    private List<Chunk> lookAtAll(boolean any) {
        List<Chunk> chunks = new ArrayList<>();
        for (int chunk = 0; chunk < frames.chunks(); chunk++) {
            chunks.add(new Chunk(chunk));
        }
        for (Page page : pages) {
            if (page.frame() >= 0) {
                Chunk chunk = chunks.get(frames.chunkOf(page.frame()));
                chunk.pages.add(page);
                chunk.stays |= (page.used && !any) || page.dirty || page.writing || page.kept;
                page.used = false;
            }
        }
        return chunks;
    }

    private UnusedMemory.Given unlink(long wantedBytes, List<Chunk> chunks) {
        List<UnusedMemory.Given> given = new ArrayList<>();
        long bytes = 0;
        for (int at = chunks.size() - 1; at > 0 && bytes < wantedBytes; at--) {
            Chunk chunk = chunks.get(at);
            if (!chunk.stays) {
                chunk.pages.forEach(evict);
                UnusedMemory.Given one = frames.unlink(chunk.number);
                if (one != null) {
                    bytes += one.bytes();
                    given.add(one);
                }
            }
        }
        return new UnusedMemory.Given(
                bytes, () -> given.forEach(one -> one.free().run()));
    }

    private static final class Chunk {
        private final int number;
        private final List<Page> pages = new ArrayList<>();
        private boolean stays;

        private Chunk(int number) {
            this.number = number;
        }
    }
}
