package io.kvstore.bplus.tree;

import io.kvstore.data.Pause;
import io.kvstore.engine.Snapshots;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The states of the tree that threads may still look at. A new generation begins with the first change after a thread began to
 * look at a state. From then on the pages of earlier generations are frozen: a thread that is to change such a page makes a
 * copy with an id of its own. So an older state is nothing but its root page.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A page of the current generation is reached from the current root only. Pages of other generations never change.
 *   <li>A page of generation b that the tree stopped using in generation f belongs to the states of the generations from b up
 *       to f, f not included. The page goes when no thread looks at any of these states, and never before.
 *   <li>While the newest state has some of the changes of several operations and not others, it is the state of no lsn, and no
 *       thread finds it as the state of an lsn: if a thread may look at the state before, that state was frozen before the
 *       first of these changes. A thread that has all of these changes from elsewhere may look at the newest state. That state
 *       differs from the states before and after only in keys of these changes. It is then frozen as a <em>part</em>.
 *   <li>An open snapshot whose lsn is that of the newest state or above, and below all operations that come, sees the newest
 *       state, frozen or not, with the waiting changes up to its lsn. Before the first change above its lsn the newest state is
 *       frozen.
 *   <li>A segment of values that the tree stopped pointing into belongs to the states that may have pointed into it. The
 *       segment goes when no thread looks at any of these states. A checkpoint reads a state for the store itself. It keeps the
 *       segment too, but counts as work under way and not as a pin.
 *   <li>The id of a page is given again only after the page has gone. So a thread that follows an id from an unchanged page
 *       finds the page that was meant.
 * </ol>
 *
 * <p>Guarded by its monitor. The thread that changes the tree holds the monitor while it makes changes. The newest state and
 * the number of retired pages are also read without the monitor, at each write and read. A look ends without it.
 */
public final class TreeVersions {

    /** To wake a thread takes some tens of microseconds. A pause takes 60 us, most of which the system adds. */
    private static final int PAUSE_NANOS = 10_000;

    /** The number of no segment. */
    public static final long NO_SEGMENT = -1;

    private final Snapshots snapshots;

    /** Threads that are about to look, or wait for it. */
    private final AtomicInteger waiting = new AtomicInteger();

    private final ArrayList<Frozen> frozen = new ArrayList<>();
    private final ArrayDeque<Retired> retired = new ArrayDeque<>();
    private final ArrayDeque<Retired> retiredSegments = new ArrayDeque<>();
    private final LongSupplier segmentsEnd;
    private long current = 1;
    private long beganLsn = 1;
    private long appliedLsn;
    private boolean changed;

    /** The first operation that the newest state may have only a part of; 0 if the newest state is whole. */
    private long partLsn;

    /** For threads without the monitor: the lsn of the newest state, or the first operation of a part that is being made. */
    private volatile long reachedLsn;

    private final AtomicReference<State> now;

    /** The size of {@link #retired}, for threads without the monitor. */
    private volatile int retiredCount;

    /** The size of {@link #retiredSegments}, for threads without the monitor. */
    private volatile int retiredSegmentCount;

    /**
     * A state of the tree.
     *
     * @param rootId id of the root page; 0 for an empty tree
     * @param lsn lsn of the last operation in the state
     * @param entries how many keys have a value
     */
    public record State(long rootId, long lsn, long entries) {}

    private static final class Frozen {
        final long generation;
        final State state;

        /** Whether the state has some of the changes of several operations and not others. */
        final boolean isPart;

        /** The state, and waiting changes that its readers have from elsewhere, point into segments of smaller numbers only. */
        long segmentsEnd;

        /** Raised with the monitor, and lowered without it: a state that looks unused under the monitor stays unused. */
        final AtomicInteger lookers = new AtomicInteger();

        /** As {@link #lookers}, for work of the table itself. */
        final AtomicInteger ownLookers = new AtomicInteger();

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

        /** Whether a view pins the state. Work of the table itself does not count. */
        boolean isPinned() {
            return lookers.get() > 0 || isSnapshot;
        }
    }

    private record Retired(long id, long born, long left) {}

    /** A look at a state, which is kept until the look is closed. */
    public static final class Look implements AutoCloseable {

        private final Frozen of;
        private final AtomicInteger count;
        private final boolean isNewest;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Look(Frozen of, boolean isNewest, boolean isOwn) {
            this.of = of;
            this.isNewest = isNewest;
            this.count = isOwn ? of.ownLookers : of.lookers;
            count.incrementAndGet();
        }

        public State state() {
            return of.state;
        }

        /** Whether waiting changes may belong to the view. If not, the state has all of its changes. */
        public boolean isNewest() {
            return isNewest;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                count.decrementAndGet();
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
     * Called before the changes of {@code lsn}. Begins a new generation if an open snapshot sees the newest state and not these
     * changes.
     *
     * @param lsn above that of the newest state, also if the changes have no lsn of their own
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

    /** Begins the changes of the operations from this one on. They end with {@link #whole}. */
    synchronized void beginPart(long firstLsn) {
        if (partLsn == 0) {
            begin(firstLsn);
            partLsn = firstLsn;
            reachedLsn = firstLsn;
        }
    }

    /** Called when the newest state has whole operations only again. */
    synchronized void whole() {
        partLsn = 0;
        reachedLsn = now().lsn();
    }

    public synchronized boolean isWhole() {
        return partLsn == 0;
    }

    /**
     * Whether the newest state may have changes of operations above this lsn, or will have some at once. A reader that uses the
     * newest state for an open snapshot asks this afterwards. If the answer is no, it read what the snapshot sees, without the
     * waiting changes.
     */
    public boolean isPast(long lsn) {
        return reachedLsn > lsn;
    }

    private boolean isFrozen(long lsn) {
        return !frozen.isEmpty() && frozen.getLast().state.lsn() == lsn && !frozen.getLast().isPart;
    }

    /** Freezes the newest state. Later changes belong to the next generation. */
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

    /** Makes {@code next} the newest state. Called when its changes are made. */
    synchronized void applied(State next) {
        now.setRelease(next);
        appliedLsn = next.lsn();
        reachedLsn = partLsn == 0 ? next.lsn() : reachedLsn;
    }

    /** Begins to look at the newest state of a tree for which no changes wait anywhere. */
    public Look look() {
        return look(Long.MAX_VALUE, 0);
    }

    /**
     * Begins to look at the state as of an lsn. If some of the changes up to that lsn may wait, this is the newest state, also
     * if that is a part.
     *
     * @param lsn that of an open snapshot, or above all that was applied
     * @param segmentsEnd segments of smaller numbers are kept too, because waiting changes point into them
     */
    public Look look(long lsn, long segmentsEnd) {
        waiting.incrementAndGet();
        try {
            return lookNow(lsn, segmentsEnd);
        } finally {
            waiting.decrementAndGet();
        }
    }

    private synchronized Look lookNow(long lsn, long segmentsEnd) {
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

    /**
     * Lets threads look that wait for it. A thread that makes many changes calls this each time before it takes the monitor.
     * Without the pause it would have the monitor again before a thread that is woken runs.
     */
    void letLook() {
        if (waiting.get() > 0) {
            Pause.nanos(PAUSE_NANOS);
        }
    }

    public synchronized Look lookForCheckpoint() {
        if (partLsn != 0) {
            throw new IllegalStateException("of the operations from " + partLsn + " on there are only parts");
        }
        return new Look(freeze(), true, true);
    }

    /** Called when the tree does not have the page any more. */
    synchronized void retire(long id, long born) {
        retired.add(new Retired(id, born, current));
        retiredCount = retired.size();
    }

    /** Called when the tree does not point into the segment of values any more. */
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
            if (!frozen.get(i).isPinned() && frozen.get(i).ownLookers.get() == 0) {
                frozen.remove(i);
            }
        }
    }

    /** Forgets states that no thread looks at. Returns the ids of pages that belong to no state. */
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

    /**
     * Forgets states that no thread looks at, and a retired segment that belongs to none of those left. The caller gives it
     * back before it asks for the next one, so that a failure in between loses no segment.
     *
     * @return the number of the segment, {@link #NO_SEGMENT} if there is none
     */
    public synchronized long takeFreeSegment() {
        if (retiredSegments.isEmpty()) {
            return NO_SEGMENT;
        }
        forgetStates();
        for (Iterator<Retired> all = retiredSegments.iterator(); all.hasNext(); ) {
            Retired one = all.next();
            if (frozen.stream().noneMatch(state -> state.hasSegment(one))) {
                all.remove();
                retiredSegmentCount = retiredSegments.size();
                return one.id;
            }
        }
        return NO_SEGMENT;
    }

    /** The retired segments that views may look at. */
    public synchronized List<Long> pinnedSegments() {
        return retiredSegments.stream()
                .filter(one -> frozen.stream().anyMatch(state -> state.isPinned() && state.hasSegment(one)))
                .map(Retired::id)
                .toList();
    }

    /** How many segments wait until no thread looks at them. Read as {@link #retiredPages}. */
    public int retiredSegments() {
        return retiredSegmentCount;
    }

    /** Takes back the id of a page that could not be discarded now. A later {@link #reclaim} returns it again. */
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

    /** How many pages wait until no thread looks at them. Without the monitor this is the number of a moment ago. */
    public int retiredPages() {
        return retiredCount;
    }
}
