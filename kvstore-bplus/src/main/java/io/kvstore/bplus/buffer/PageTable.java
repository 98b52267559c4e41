package io.kvstore.bplus.buffer;

import io.kvstore.bplus.page.Node;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The pages in memory and their frames, by id. Any thread may ask; the owner guards changes.
 *
 * <p>Three objects of the heap lie between the id of a page and its bytes: the table's entry, the page and its segment. Each of
 * them may be a wait for memory. The table also has the place of the frame, so that {@link #touch} asks for the bytes while the
 * processor still waits for the objects. It does no harm if the frame is given to another page meanwhile, because the bytes
 * that {@link #touch} reads are no answer.
 */
final class PageTable {

    private static final int LEAST_ENTRIES = 64;
    private static final long NOWHERE = -1;
    private static final int UNLIKELY = 1;

    private final FramePool frames;
    private volatile AtomicReferenceArray<@Nullable Page> pages = new AtomicReferenceArray<>(0);
    private volatile AtomicLongArray places = new AtomicLongArray(0);

    PageTable(FramePool frames) {
        this.frames = frames;
        grow(LEAST_ENTRIES);
    }

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
            Thread.onSpinWait(); // depends on the bytes that were read, or else they would not be read
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
