package io.kvstore.bplus.buffer;

import io.kvstore.bplus.file.Location;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.file.PageStore;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.page.Node;
import io.kvstore.data.KeyHash;
import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pages that are in memory, at most as many as the buffer holds, and the choice of the pages to evict.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The memory of a page is its own until {@link Page#leave}. A reader without a lock notices the end by the version.
 *   <li>A dirty page is nowhere in the file. It gets a place once: when it is evicted or by a checkpoint, whichever is first.
 *       After that it is frozen, or was not changed since, so it never becomes dirty again.
 *   <li>While a thread changes pages with the lock for writing, no page goes, because an eviction takes that lock too. Pages
 *       that are loaded for a change stay until {@link #releaseKept}.
 * </ol>
 *
 * <p>The monitor is held for memory operations only, never over I/O. A thread that changes the tree must not fail, so it takes
 * more memory than the buffer has if it needs that. The next eviction gives the excess back.
 */
public final class PageBuffer {

    /** At least this many pages stay, however long they are: a search down the tree needs two at a time. */
    private static final int LEAST_PAGES = 8;

    /** Free frames for readers, which may take this many between two looks at the free frames. */
    private static final int SPARE_FRAMES = 16;

    private final TableContext context;
    private final @Nullable PageStore pageStore;
    private final PageIds ids;
    private final RankedLock writing;
    private final FramePool frames;
    private final PageTable resident;
    private final PageMemory memory;
    private final List<Page> clock = new ArrayList<>();
    private final List<Page> kept = new ArrayList<>();
    private final BackgroundTask growth;
    private final BackgroundTask shrinking;
    private final BufferSample sample;
    private final IdleFrames idle;
    private final RefusedPages refused = new RefusedPages();
    private int hand;
    private volatile boolean hasKept;
    private volatile boolean isClosing;
    private long dirtyPages;
    private long evictions;
    private long loads;

    /**
     * @param pageStore null if there is no file and none may be made; where nothing may be written, new pages stay in memory
     */
    public PageBuffer(
            TableContext context, long capacityBytes, @Nullable PageStore pageStore, PageIds ids, RankedLock writing) {
        this.sample = new BufferSample(new KeyHash(context.seed()));
        this.context = context;
        this.growth =
                new BackgroundTask(context.background(), context.background().waiter(), this::growAhead);
        this.shrinking = new BackgroundTask(
                context.background().longWork(), context.background().waiter(), this::shrink);
        this.pageStore = pageStore;
        this.ids = ids;
        this.writing = writing;
        this.frames = new FramePool(context.memory(), capacityBytes);
        this.resident = new PageTable(frames);
        this.memory = new PageMemory(context.memory(), frames, capacityBytes);
        this.idle = new IdleFrames(this, writing, clock, frames, this::remove);
        context.memory().add(idle);
    }

    /** The path of the page file. */
    public String file() {
        return context.directory() + "/" + PageStore.NAME;
    }

    /** The page if it is in memory, or null. */
    public @Nullable Page get(long id) {
        idle.noteUse();
        return resident.get(id);
    }

    /** Notes that a page was used that nobody had to look for. */
    public void use(Page page) {
        idle.noteUse();
        page.touch();
    }

    /** Asks for the memory of a leaf before it is read, see {@link PageTable#touch}. */
    public void touch(long id, int bytes) {
        resident.touch(id, bytes);
    }

    /** As {@link #load(long, Page)}, for a page to which no other page led. */
    public @Nullable Page load(long id) throws IOException {
        return load(id, null);
    }

    /**
     * The page, read from the file if it is not in memory; null if there is no such page any more. If two threads read the same
     * page, the first one counts.
     *
     * @param spared is not evicted for it: the page that led here. Otherwise a reader whose path is longer than the buffer
     *     would begin again for ever
     * @throws CorruptionException if the file does not have the page as it was written
     */
    public @Nullable Page load(long id, @Nullable Page spared) throws IOException {
        refused.requireOther(file(), id);
        while (true) {
            Page found = get(id);
            // asked for after the page: a page that is evicted has its location before it goes
            long location = ids.location(id);
            if (found == null && location != 0) {
                found = read(id, location, spared);
            }
            if (found != null || ids.location(id) == location) {
                return found;
            }
            // the page was moved meanwhile, and is in another place of the file
        }
    }

    /**
     * A page of a level if it is in memory, or null. If the page is another one, or is nowhere, then from now on {@link #load}
     * throws. Only for a thread with the lock for writing, which has an id from a page of the newest state.
     *
     * @param level -1 for any
     */
    public @Nullable Page find(long id, int level) {
        Page page = get(id);
        if (page == null ? ids.location(id) == 0 : level >= 0 && Node.level(page.bytes()) != level) {
            refused.add(id);
            return null;
        }
        return page;
    }

    /** Reads a page from its location of a moment ago; null if it is not there any more, and not in memory. */
    private @Nullable Page read(long id, long location, @Nullable Page spared) throws IOException {
        makeRoom(Location.units(location), 1, spared);
        Page page;
        synchronized (this) {
            page = memory.create(id, Location.units(location), 0);
        }
        Page found = null;
        boolean isRight = false;
        try {
            fileOf().pages().readNode(id, location, page.bytes(), ids.isUnseen(id));
            ids.seen(id);
            isRight = true;
        } catch (CorruptionException e) {
            if (ids.location(id) == location && get(id) == null) {
                throw e;
            }
        } finally {
            found = settleLoad(page, location, isRight);
        }
        return found;
    }

    /** Publishes a page that was read, unless the page came too late or is not right. */
    private synchronized @Nullable Page settleLoad(Page page, long location, boolean isRight) {
        Page found = get(page.id());
        if (isRight && found == null && ids.location(page.id()) == location) {
            publish(page);
            loads++;
            return page;
        }
        memory.give(page);
        return found;
    }

    private PageStore fileOf() {
        if (pageStore == null) {
            throw new IllegalStateException(context.directory() + " has no page file");
        }
        return pageStore;
    }

    /** Makes a new, dirty page with an id of its own. Only for the thread that changes the tree. */
    public synchronized Page create(int units, long generation) {
        Page page = memory.create(ids.allocate(generation), units, generation);
        page.dirty = true;
        dirtyPages++;
        publish(page);
        return page;
    }

    private void publish(Page page) {
        page.position = clock.size();
        clock.add(page);
        resident.put(page);
    }

    private void remove(Page page) {
        page.leave();
        resident.remove(page.id());
        Page last = clock.removeLast();
        if (page.position < clock.size()) {
            clock.set(page.position, last);
            last.position = page.position;
        }
        if (page.dirty) {
            dirtyPages--;
        }
        memory.give(page);
    }

    /** Keeps the page in memory until {@link #releaseKept}. Returns false if the page is not in memory. */
    synchronized boolean keep(long id) {
        Page page = get(id);
        if (page != null && !page.kept) {
            page.kept = true;
            kept.add(page);
            hasKept = true;
        }
        return page != null;
    }

    public void releaseKept() {
        if (hasKept) {
            synchronized (this) {
                kept.forEach(page -> page.kept = false);
                kept.clear();
                hasKept = false;
            }
        }
    }

    /** Has memory for new pages at hand, so that {@link #create} does not have to ask the machine for it. */
    public void prepare(int pages) {
        if (frames.freeFrames() < pages + SPARE_FRAMES) {
            synchronized (this) {
                while (frames.freeFrames() < pages) {
                    frames.grow(pages - frames.freeFrames());
                }
            }
        }
    }

    public boolean isPrepared(int pages) {
        return frames.freeFrames() >= pages + SPARE_FRAMES && memory.freeUnits() >= pages;
    }

    /** Whether pages have to be evicted for others, or soon will be. Fewer and fuller pages are then worth some work. */
    public boolean isShort() {
        return frames.isSpent();
    }

    /** Called before a write. Takes memory that will be needed soon, in the background. */
    public void considerGrowth() {
        // where long pages take the rest of the buffer, evictions free the frames
        if (frames.isLow() && memory.freeUnits() > frames.freeFrames()) {
            growth.request();
        }
    }

    /**
     * Sets the most bytes of pages. Pages beyond them go in the background. The memory of their frames stays with the table
     * until others need it.
     */
    public void limit(long capacityBytes) {
        synchronized (this) {
            frames.limit(capacityBytes);
            memory.limit(capacityBytes);
        }
        shrinking.requestAgain();
    }

    private void shrink() {
        try {
            while (!isClosing && needsRoom(0, 0) && evict(null)) {
                // evicts one page after the other
            }
        } catch (IOException e) {
            Notices.warning(PageBuffer.class, file(), "pages beyond the new limit go with later writes", e);
        }
    }

    private void growAhead() {
        FramePool.Grown grown = null;
        int count;
        synchronized (this) {
            count = frames.beginGrowth();
        }
        try {
            grown = count == 0 ? null : FramePool.allocate(count);
        } finally {
            synchronized (this) {
                frames.grown(grown);
            }
        }
    }

    /**
     * Called before a write. Evicts pages until this many units fit into the buffer, if that is possible. There are free frames
     * for more units then. Otherwise {@link #prepare} would take them, whatever the budget of the store is.
     */
    public void makeRoom(int units) throws IOException {
        makeRoom(units, units + SPARE_FRAMES, null);
    }

    private void makeRoom(int units, int wantedFrames, @Nullable Page spared) throws IOException {
        while (!isRoomy(units, wantedFrames) && needsRoom(units, wantedFrames) && evict(spared)) {
            // evicts one page after the other
        }
    }

    private boolean isRoomy(int units, int wantedFrames) {
        return memory.freeUnits() >= units && frames.freeFrames() >= wantedFrames;
    }

    private synchronized boolean needsRoom(int units, int wantedFrames) {
        if (clock.size() < LEAST_PAGES) {
            return false;
        }
        if (!memory.fits(units)) {
            return true;
        }
        int missing = wantedFrames - frames.freeFrames();
        return missing > 0 && !frames.tryGrow(missing);
    }

    private boolean evict(@Nullable Page spared) throws IOException {
        Page victim;
        long version = 0;
        try (RankedLock.Held _ = writing.hold()) {
            synchronized (this) {
                victim = victim(spared);
                if (victim != null && victim.dirty) {
                    victim.writing = true;
                    version = victim.beginRead();
                } else if (victim != null) {
                    remove(victim);
                    evictions++;
                }
            }
        }
        if (victim != null && victim.writing) {
            writeVictim(victim, version);
        }
        return victim != null;
    }

    private void writeVictim(Page victim, long version) throws IOException {
        long location = 0;
        try {
            MemorySegment copy = victim.copy();
            if (version != Page.GONE && victim.isUnchanged(version)) {
                location = fileOf().pages().write(victim.id(), copy);
            }
        } finally {
            endEviction(victim, version, location);
        }
    }

    private void endEviction(Page victim, long version, long location) {
        try (RankedLock.Held _ = writing.hold()) {
            synchronized (this) {
                victim.writing = false;
                if (location != 0 && settle(victim, location, victim.isUnchanged(version))) {
                    remove(victim);
                    evictions++;
                }
            }
        }
    }

    /**
     * Gives a page the place where it was written, if it has none yet and {@code counts} is set. Otherwise the place is free
     * again. Returns whether the page got the place.
     */
    private boolean settle(Page page, long location, boolean counts) {
        boolean isNew = counts && page.dirty;
        if (isNew) {
            ids.settle(page.id(), location);
            page.dirty = false;
            dirtyPages--;
        } else {
            fileOf().pages().free(location);
            page.used = true;
        }
        return isNew;
    }

    /** The next page that was not used since the hand passed it before; after two rounds any page that may go. */
    private @Nullable Page victim(@Nullable Page spared) {
        for (int steps = 3 * clock.size(); steps > 0; steps--) {
            hand = hand + 1 < clock.size() ? hand + 1 : 0;
            Page page = clock.get(hand);
            boolean canGo = !page.equals(spared) && !page.writing && !page.kept && (!page.dirty || !context.readOnly());
            if (canGo && !page.used) {
                return page;
            }
            page.used = false;
        }
        return null;
    }

    /** Writes a frozen page to the file, unless it is there. Returns its location, or 0 if the page is gone. */
    public long persist(long id) throws IOException {
        Page page;
        synchronized (this) {
            page = get(id);
            if (page == null || !page.dirty) {
                return ids.location(id);
            }
            page.writing = true;
        }
        long location = 0;
        try {
            location = fileOf().pages().write(id, page.copy());
        } finally {
            synchronized (this) {
                page.writing = false;
                if (location != 0) {
                    settle(page, location, true);
                }
            }
        }
        return ids.location(id);
    }

    /** Writes a page of the file to another place of it, if possible. Returns the location that the page then has. */
    public long move(long id, long location) throws IOException {
        MemorySegment copy = MemorySegment.ofArray(new byte[Location.units(location) * PageFile.UNIT_BYTES]);
        fileOf().pages().readNode(id, location, copy, ids.isUnseen(id));
        long moved = fileOf().pages().write(id, copy);
        long left = ids.move(id, location, moved);
        if (left != 0) {
            fileOf().pages().free(left);
        }
        return left == moved ? location : moved;
    }

    /** Drops a page that no thread can reach. Returns false if the page is being written, and has to be dropped later. */
    public synchronized boolean discard(long id) {
        Page page = get(id);
        if (page != null && page.writing) {
            return false;
        }
        if (page != null) {
            remove(page);
        }
        refused.remove(id);
        long location = ids.release(id);
        if (location != 0 && pageStore != null) {
            pageStore.pages().free(location);
        }
        return true;
    }

    /** Counts of the buffer. {@code hitRatio} and {@code leafFill}, from 0 to 1, are estimates. */
    public record Counts(
            long units, long dirtyPages, long loads, long evictions, long bytes, double hitRatio, double leafFill) {}

    public synchronized Counts counts() {
        double fill = BufferSample.leafFill(clock);
        return new Counts(
                memory.usedUnits(), dirtyPages, loads, evictions, memory.bytesOf(clock), sample.hitRatio(loads), fill);
    }

    /** See {@link BufferSample#looked}. */
    public void looked(int pages, byte[] key) {
        sample.looked(pages, key);
    }

    /** Gives all memory back. No thread may use a page any more. */
    public void close() {
        isClosing = true;
        shrinking.close();
        synchronized (this) {
            context.memory().remove(idle);
            for (Page page : clock) {
                page.leave();
                memory.close(page);
            }
            clock.clear();
            frames.close();
        }
    }
}
