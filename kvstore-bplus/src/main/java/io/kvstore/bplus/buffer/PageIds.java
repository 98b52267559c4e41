package io.kvstore.bplus.buffer;

import io.kvstore.bplus.file.Location;
import io.kvstore.bplus.file.PageMap;
import java.util.ArrayDeque;
import java.util.BitSet;

/**
 * The ids of all pages. This knows which pages the newest state of the tree has, where pages are in the file, and which pages
 * changed since the last checkpoint began. An id is given again when no thread can follow it any more.
 *
 * <p>An id gets a place at most once in its life, by {@link #settle}; later only {@link #move} gives it another place. A place
 * that the last durable checkpoint refers to is not given back here. The checkpoint that no longer refers to it does that.
 */
public final class PageIds {

    private final PageMap locations = new PageMap();
    private final PageMap durable = new PageMap();
    private final PageMap born = new PageMap();
    private final ArrayDeque<Long> free = new ArrayDeque<>();
    private final BitSet live = new BitSet();
    private BitSet touched = new BitSet();

    /** The pages of the last checkpoint when the table was opened, and still so from {@link #gap} on. */
    private final BitSet opened = new BitSet();

    /** The pages of the last checkpoint when the table was opened that were not read since. */
    private final BitSet unseen = new BitSet();

    /** Below it, free ids are in {@link #free}. From it on, all are free that are not {@link #opened}. */
    private long gap;

    private long next;
    private long durableUnits;

    /** @param next greater than any id in use */
    public PageIds(long next) {
        this.next = next;
        this.gap = next;
    }

    /** Adds a page of the last checkpoint when the table is opened. */
    public synchronized void add(long id, long location) {
        locations.set(id, location);
        setDurable(id, location);
        live.set((int) id);
        opened.set((int) id);
        unseen.set((int) id);
    }

    /** Called when all pages of the last checkpoint are added: all other ids below {@link #next()} are free. */
    public synchronized void added() {
        gap = 1;
    }

    /** @param generation in which the page is made; states frozen before do not have it */
    synchronized long allocate(long generation) {
        long id = free.isEmpty() ? takeGap() : free.pop();
        born.set(id, generation);
        live.set(Math.toIntExact(id));
        touched.set((int) id);
        return id;
    }

    private long takeGap() {
        long id = opened.nextClearBit(Math.toIntExact(gap));
        gap = id + 1;
        next = Math.max(next, gap);
        return id;
    }

    /** Whether nobody has looked at what the page says since the table was opened. Pages that were made since are known. */
    synchronized boolean isUnseen(long id) {
        return unseen.get((int) id);
    }

    synchronized void seen(long id) {
        unseen.clear((int) id);
    }

    /** Whether the newest state has the page. */
    public synchronized boolean isLive(long id) {
        return live.get((int) id);
    }

    /** The generation in which the page was made, evicted or not; 0 if it was made before the table was opened. */
    public synchronized long born(long id) {
        return born.get(id);
    }

    /** Called when the newest state does not have the page any more. Older states may have it. */
    public synchronized void retire(long id) {
        live.clear((int) id);
        touched.set((int) id);
    }

    /** The location of the page in the file; 0 if it has none. */
    public synchronized long location(long id) {
        return locations.get(id);
    }

    public synchronized void settle(long id, long location) {
        locations.set(id, location);
    }

    /** Gives the page another place. Returns the location to be freed: the old one, the new one if it came too late, or 0. */
    synchronized long move(long id, long from, long to) {
        if (locations.get(id) != from) {
            return to;
        }
        locations.set(id, to);
        return from == durable.get(id) ? 0 : from;
    }

    /** Called when no thread can follow the id any more. Returns the location that is to be freed, or 0. */
    synchronized long release(long id) {
        long location = locations.get(id);
        locations.set(id, 0);
        unseen.clear((int) id);
        if (id < gap) {
            free.push(id);
        } else {
            opened.clear((int) id);
        }
        return location == durable.get(id) ? 0 : location;
    }

    public synchronized BitSet takeTouched() {
        BitSet result = touched;
        touched = new BitSet();
        return result;
    }

    public synchronized void touchAgain(BitSet ids) {
        touched.or(ids);
    }

    /**
     * Called when the durable checkpoint has the page at this location. Returns the location before if that is free now, or 0.
     * A page that only older states have keeps its place.
     */
    public synchronized long setDurable(long id, long location) {
        long before = durable.get(id);
        durable.set(id, location);
        durableUnits += Location.units(location) - Location.units(before);
        return before == locations.get(id) || before == location ? 0 : before;
    }

    public synchronized long next() {
        return next;
    }

    public synchronized long liveCount() {
        return live.cardinality();
    }

    /** The units that the pages of the durable checkpoint take. */
    public synchronized long durableUnits() {
        return durableUnits;
    }

    public synchronized BitSet liveIds() {
        return (BitSet) live.clone();
    }
}
