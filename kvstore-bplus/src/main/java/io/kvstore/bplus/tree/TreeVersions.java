package io.kvstore.bplus.tree;

import io.kvstore.engine.Snapshots;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The states of the tree that somebody may still look at. A new generation begins with the first change after somebody began to
 * look: from then on the pages of the generations before are frozen, and who wants to change one makes a copy with an id of its
 * own. So an older state is nothing but its root page.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A page of the current generation is reached from the current root only. All others are never changed.
 *   <li>A page that the tree stopped using in generation f and that is of generation b belongs to the states of the generations
 *       from b up to f, f not included. It goes when none of these is looked at, which is never before.
 *   <li>While the newest state has some of the changes of several operations and not others, it is the state of no lsn, and
 *       nobody finds it as such: if somebody may look at the one before, that was frozen before the first of them. Who has all
 *       of these changes from elsewhere may look at it, for it differs from the state before and the one after in nothing but
 *       keys that they are of; then it is frozen as a <em>part</em>.
 *   <li>An open snapshot whose lsn is that of the newest state or above, and below all operations that come, sees the newest
 *       state, frozen or not, with what waits up to then. Before the first change above it that is frozen.
 *   <li>A segment of values that the tree stopped pointing into belongs to the states that may have pointed into it, and
 *       goes when none of these is looked at. Who reads a state for the store itself, a checkpoint, keeps it too, but counts
 *       as work under way and not as somebody who pins anything.
 *   <li>Ids are given again only after that; so whoever follows an id from a page that still is what it was finds the page that
 *       was meant.
 * </ol>
 *
 * <p>Guarded by its monitor, which a writer holds while it applies; the newest state and how many pages are retired are also
 * asked for without it, at each write and read.
 */
public final class TreeVersions {

    private final Snapshots snapshots;
    private final ArrayList<Frozen> frozen = new ArrayList<>();
    private final ArrayDeque<Retired> retired = new ArrayDeque<>();
    private final ArrayDeque<Retired> retiredSegments = new ArrayDeque<>();
    private final LongSupplier segmentsEnd;
    private long current = 1;
    private long beganLsn = 1;
    private long appliedLsn;
    private boolean changed;

    /** The first of the operations of which the newest state may have a part; 0 if it is whole. */
    private long partLsn;

    /** For who does not hold the monitor: the newest state may have something of operations from this one on, or up to it. */
    private volatile long reachedLsn;

    private final AtomicReference<State> now;

    /** The size of {@link #retired}, for who does not hold the monitor. */
    private volatile int retiredCount;

    /** The same of segments. */
    private volatile int retiredSegmentCount;

    /**
     * A state of the tree.
     *
     * @param rootId 0 for an empty tree
     * @param lsn of the last operation in it
     * @param entries how many keys have a value
     */
    public record State(long rootId, long lsn, long entries) {}

    private static final class Frozen {
        final long generation;
        final State state;

        /** Whether it has some of the changes of several operations and not others. */
        final boolean isPart;

        /** It points into segments of smaller numbers only, and so do the changes that who looks at it has from elsewhere. */
        long segmentsEnd;

        int lookers;
        int ownLookers;
        boolean isSnapshot;

        Frozen(long generation, State state, boolean isPart, long segmentsEnd) {
            this.generation = generation;
            this.state = state;
            this.isPart = isPart;
            this.segmentsEnd = segmentsEnd;
        }

        boolean hasPage(Retired page) {
            return page.born <= generation && generation < page.left;
        }

        boolean hasSegment(Retired segment) {
            return segment.id < segmentsEnd && generation < segment.left;
        }

        /** Whether somebody pins it who is not at work for the table. */
        boolean isPinned() {
            return lookers > 0 || isSnapshot;
        }
    }

    private record Retired(long id, long born, long left) {}

    /**
     * Segments of values that the newest state does not point into.
     *
     * @param free which nobody looks at any more
     * @param pinned which open snapshots and cursors may look at
     */
    public record Segments(List<Long> free, List<Long> pinned) {}

    /** A state that is kept until this is closed. */
    public final class Look implements AutoCloseable {

        private final Frozen of;
        private final boolean isOwn;
        private final boolean isNewest;
        private boolean closed;

        private Look(Frozen of, boolean isNewest, boolean isOwn) {
            this.of = of;
            this.isNewest = isNewest;
            this.isOwn = isOwn;
            of.lookers += isOwn ? 0 : 1;
            of.ownLookers += isOwn ? 1 : 0;
        }

        public State state() {
            return of.state;
        }

        /** Whether changes may wait that belong to what was to be looked at; or else all of them are here. */
        public boolean isNewest() {
            return isNewest;
        }

        @Override
        public void close() {
            synchronized (TreeVersions.this) {
                if (!closed) {
                    closed = true;
                    of.lookers -= isOwn ? 0 : 1;
                    of.ownLookers -= isOwn ? 1 : 0;
                }
            }
        }
    }

    /** @param segmentsEnd greater than the number of any segment of values that the newest state points into */
    public TreeVersions(Snapshots snapshots, State first, LongSupplier segmentsEnd) {
        this.snapshots = snapshots;
        this.segmentsEnd = segmentsEnd;
        this.now = new AtomicReference<>(first);
        this.appliedLsn = first.lsn();
        this.beganLsn = first.lsn() + 1;
        this.reachedLsn = first.lsn();
    }

    /** The newest state. Its pages change. */
    public State now() {
        return now.get();
    }

    /** The generation of pages that may be changed in place. */
    synchronized long current() {
        return current;
    }

    /**
     * Before the changes of {@code lsn}: begins a new generation if an open snapshot sees this one and not what comes.
     *
     * @param lsn above that of the newest state, also if the changes have none of their own
     */
    synchronized void begin(long lsn) {
        if (partLsn == 0) {
            long newest = now().lsn();
            if (snapshots.newestLsn() >= newest && !isFrozen(newest) && hasBetween(snapshots.openLsns(), newest, lsn)) {
                freeze();
            }
            if (appliedLsn < beganLsn) {
                beganLsn = lsn;
            }
        }
        changed = true;
    }

    /** The changes that follow, up to {@link #whole}, are those of the operations from this one on. */
    synchronized void beginPart(long firstLsn) {
        if (partLsn == 0) {
            begin(firstLsn);
            partLsn = firstLsn;
            reachedLsn = firstLsn;
        }
    }

    /** The newest state is one between two operations again. */
    synchronized void whole() {
        partLsn = 0;
        reachedLsn = now().lsn();
    }

    /** Whether the newest state is one between two operations. */
    public synchronized boolean isWhole() {
        return partLsn == 0;
    }

    /**
     * Whether the newest state may have something of operations above this lsn, or will at once. Who reads the newest state for
     * an open snapshot asks afterwards: if not, it read what the snapshot sees, but for what waits.
     */
    public boolean isPast(long lsn) {
        return reachedLsn > lsn;
    }

    private boolean isFrozen(long lsn) {
        return !frozen.isEmpty() && frozen.getLast().state.lsn() == lsn && !frozen.getLast().isPart;
    }

    /** The state of now is frozen; what comes belongs to the next generation. */
    private Frozen freeze() {
        if (!changed && !frozen.isEmpty() && frozen.getLast().generation == current - 1) {
            return frozen.getLast();
        }
        Frozen state = new Frozen(current, now(), partLsn != 0, segmentsEnd.getAsLong());
        frozen.add(state);
        current++;
        changed = false;
        beganLsn = partLsn == 0 ? now().lsn() + 1 : beganLsn;
        return state;
    }

    /** The changes of {@code lsn} are made. */
    synchronized void applied(State next) {
        now.setRelease(next);
        appliedLsn = next.lsn();
        reachedLsn = partLsn == 0 ? next.lsn() : reachedLsn;
    }

    /** Begins to look at the newest state, of which no changes wait anywhere. */
    public Look look() {
        return look(Long.MAX_VALUE, 0);
    }

    /**
     * Begins to look at the state as of an lsn, which is that of an open snapshot or above all that was applied. If some of the
     * changes up to then may wait, it is the newest state, also if that is a part.
     *
     * @param segmentsEnd also keeps the segments of smaller numbers, into which such changes point
     */
    public synchronized Look look(long lsn, long segmentsEnd) {
        if (!isPast(lsn)) {
            Frozen newest = freeze();
            newest.segmentsEnd = Math.max(newest.segmentsEnd, segmentsEnd);
            return new Look(newest, true, false);
        }
        Frozen found = null;
        for (Frozen one : frozen) {
            found = one.state.lsn() <= lsn && !one.isPart ? one : found;
        }
        if (found == null) {
            throw new IllegalStateException("the state of lsn " + lsn + " is not kept; it is no open snapshot");
        }
        return new Look(found, false, false);
    }

    /** Begins to look at the newest state for a checkpoint of it. */
    public synchronized Look lookForCheckpoint() {
        if (partLsn != 0) {
            throw new IllegalStateException("of the operations from " + partLsn + " on there are only parts");
        }
        return new Look(freeze(), true, true);
    }

    /** The tree does not have the page any more. */
    synchronized void retire(long id, long born) {
        retired.add(new Retired(id, born, current));
        retiredCount = retired.size();
    }

    /** The tree does not point into the segment of values any more. */
    synchronized void retireSegment(long number) {
        retiredSegments.add(new Retired(number, 0, current));
        retiredSegmentCount = retiredSegments.size();
    }

    private void forgetStates() {
        long[] open = snapshots.openLsns();
        long until = beganLsn;
        for (int i = frozen.size() - 1; i >= 0; i--) {
            long from = frozen.get(i).state.lsn();
            frozen.get(i).isSnapshot = !frozen.get(i).isPart && hasBetween(open, from, until);
            until = frozen.get(i).isPart ? until : from;
            if (!frozen.get(i).isPinned() && frozen.get(i).ownLookers == 0) {
                frozen.remove(i);
            }
        }
    }

    /** Forgets states that nobody looks at, and gives the ids of pages that belong to none. */
    public synchronized List<Long> reclaim() {
        forgetStates();
        List<Long> ids = new ArrayList<>();
        for (Iterator<Retired> all = retired.iterator(); all.hasNext(); ) {
            Retired one = all.next();
            if (frozen.stream().noneMatch(state -> state.hasPage(one))) {
                ids.add(one.id);
                all.remove();
            }
        }
        retiredCount = retired.size();
        return ids;
    }

    /** Forgets states that nobody looks at, and tells of the segments that were retired; those that are free are forgotten. */
    public synchronized Segments reclaimSegments() {
        if (retiredSegments.isEmpty()) {
            return new Segments(List.of(), List.of());
        }
        forgetStates();
        Segments result = new Segments(new ArrayList<>(), new ArrayList<>());
        for (Iterator<Retired> all = retiredSegments.iterator(); all.hasNext(); ) {
            Retired one = all.next();
            if (frozen.stream().noneMatch(state -> state.hasSegment(one))) {
                result.free.add(one.id);
                all.remove();
            } else if (frozen.stream().anyMatch(state -> state.isPinned() && state.hasSegment(one))) {
                result.pinned.add(one.id);
            }
        }
        retiredSegmentCount = retiredSegments.size();
        return result;
    }

    /** How many segments wait until nobody looks at them, as {@link #retiredPages}. */
    public int retiredSegments() {
        return retiredSegmentCount;
    }

    /** Discarding was not possible now: to be given again. */
    public synchronized void giveAgain(long id) {
        retired.add(new Retired(id, 0, 0));
        retiredCount = retired.size();
    }

    private static boolean hasBetween(long[] open, long from, long until) {
        for (long lsn : open) {
            if (lsn >= from && lsn < until) {
                return true;
            }
        }
        return false;
    }

    synchronized int frozenStates() {
        return frozen.size();
    }

    /** How many pages wait until nobody looks at them; for who does not hold the monitor, how many a moment ago. */
    public int retiredPages() {
        return retiredCount;
    }
}
