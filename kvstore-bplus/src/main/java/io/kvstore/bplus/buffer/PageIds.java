package io.kvstore.bplus.buffer;

import io.kvstore.bplus.file.PageMap;
import java.util.ArrayDeque;
import java.util.BitSet;

/**
 * The ids of all pages: which the tree of now consists of, where those are that have a place in the file, and which changed
 * since the last checkpoint began. An id is given again when no one can follow it any more.
 *
 * <p>Every id has a place at most once in its life: {@link #settle}. A place that the last durable checkpoint refers to is not
 * given back here; the checkpoint that no longer refers to it does that.
 */
public final class PageIds {

    private final PageMap locations = new PageMap();
    private final PageMap durable = new PageMap();
    private final PageMap born = new PageMap();
    private final ArrayDeque<Long> free = new ArrayDeque<>();
    private final BitSet live = new BitSet();
    private BitSet touched = new BitSet();
    private long next;

    /** @param next greater than any id in use */
    public PageIds(long next) {
        this.next = next;
    }

    /** A page of the last checkpoint, met when the table is opened. */
    public synchronized void add(long id, long location) {
        locations.set(id, location);
        durable.set(id, location);
        live.set((int) id);
    }

    /** Ids below {@link #next()} that were not added are free. */
    public synchronized void added() {
        for (long id = next - 1; id > 0; id--) {
            if (!live.get((int) id)) {
                free.push(id);
            }
        }
    }

    /** @param generation in which the page is made; states frozen before do not have it */
    synchronized long allocate(long generation) {
        long id = free.isEmpty() ? next++ : free.pop();
        born.set(id, generation);
        live.set(Math.toIntExact(id));
        touched.set((int) id);
        return id;
    }

    /** The generation in which the page was made, also if it was evicted meanwhile; 0 if before the table was opened. */
    public synchronized long born(long id) {
        return born.get(id);
    }

    /** The tree of now does not have the page any more; older states may. */
    public synchronized void retire(long id) {
        live.clear((int) id);
        touched.set((int) id);
    }

    /** Where the page is in the file, 0 for nowhere. */
    public synchronized long location(long id) {
        return locations.get(id);
    }

    /** The page got its place. */
    public synchronized void settle(long id, long location) {
        locations.set(id, location);
    }

    /**
     * The page has another place now. Returns the location that is to be freed: the old one, the new one if it came too late,
     * 0.
     */
    synchronized long move(long id, long from, long to) {
        if (locations.get(id) != from) {
            return to;
        }
        locations.set(id, to);
        return from == durable.get(id) ? 0 : from;
    }

    /** Nobody can follow the id any more. Returns the location that is to be freed, or 0. */
    synchronized long release(long id) {
        long location = locations.get(id);
        locations.set(id, 0);
        free.push(id);
        return location == durable.get(id) ? 0 : location;
    }

    synchronized boolean isLive(long id) {
        return live.get((int) id);
    }

    /** The ids that changed since this was called last. */
    public synchronized BitSet takeTouched() {
        BitSet result = touched;
        touched = new BitSet();
        return result;
    }

    /** A checkpoint failed: they count as changed still. */
    public synchronized void touchAgain(BitSet ids) {
        touched.or(ids);
    }

    /**
     * The durable checkpoint has the page there now. Returns where it was before if that is free now, or 0: a page that
     * only older states have keeps its place.
     */
    public synchronized long setDurable(long id, long location) {
        long before = durable.get(id);
        durable.set(id, location);
        return before == locations.get(id) || before == location ? 0 : before;
    }

    public synchronized long next() {
        return next;
    }

    public synchronized long liveCount() {
        return live.cardinality();
    }

    /** The ids of the tree of now. */
    public synchronized BitSet liveIds() {
        return (BitSet) live.clone();
    }
}
