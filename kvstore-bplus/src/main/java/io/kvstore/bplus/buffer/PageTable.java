package io.kvstore.bplus.buffer;

import io.kvstore.bplus.page.Node;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Which pages are in memory, by id, and in which frames. Any thread asks; the owner guards changes.
 *
 * <p>From the id of a page to its bytes it is three objects of the heap, each of which may be a wait for memory: the table's
 * entry, the page, its segment. Where the frame is stands in the table too, so that {@link #touch} asks for the bytes while
 * the processor still waits for the objects. A frame that is given to another page meanwhile does no harm: nobody takes
 * what it reads for an answer.
 */
final class PageTable {

    private static final int LEAST_ENTRIES = 64;
    private static final long NOWHERE = -1;
    private static final int UNLIKELY = 1;

    private final FramePool frames;
    private volatile AtomicReferenceArray<@Nullable Page> pages = new AtomicReferenceArray<>(0);
    private volatile AtomicLongArray places = new AtomicLongArray(0);

    /** An empty table of pages in some frames. */
    PageTable(FramePool frames) {
        this.frames = frames;
        grow(LEAST_ENTRIES);
    }

    /** The page if it is in memory, or null. */
    @Nullable
    Page get(long id) {
        AtomicReferenceArray<@Nullable Page> all = pages;
        return id < all.length() ? all.get((int) id) : null;
    }

    /** As {@link Node#touch} for a leaf, if it is in memory and in a frame. */
    void touch(long id, int bytes) {
        AtomicLongArray all = places;
        long place = id < all.length() ? all.getAcquire((int) id) : NOWHERE;
        if (place != NOWHERE && frames.touch(place, bytes) == UNLIKELY) {
            Thread.onSpinWait(); // depends on what was read, or else it would not be read
        }
    }

    void put(Page page) {
        if (page.id() >= pages.length()) {
            grow(Math.toIntExact(Math.max(page.id() + 1, 2L * pages.length())));
        }
        places.setRelease((int) page.id(), page.frame() < 0 ? NOWHERE : frames.place(page.frame()));
        pages.set((int) page.id(), page);
    }

    private void grow(int entries) {
        AtomicReferenceArray<@Nullable Page> morePages = new AtomicReferenceArray<>(entries);
        AtomicLongArray morePlaces = new AtomicLongArray(entries);
        for (int i = 0; i < entries; i++) {
            boolean isOld = i < pages.length();
            morePages.setPlain(i, isOld ? pages.get(i) : null);
            morePlaces.setPlain(i, isOld ? places.getPlain(i) : NOWHERE);
        }
        places = morePlaces;
        pages = morePages;
    }

    void remove(long id) {
        pages.set((int) id, null);
        places.setRelease((int) id, NOWHERE);
    }
}
