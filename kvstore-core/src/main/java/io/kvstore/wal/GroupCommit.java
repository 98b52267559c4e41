package io.kvstore.wal;

import io.kvstore.error.StackProbe;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: writers that wait at the same time share one write and one sync. One of them leads, the others park.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>At most one thread leads; only it touches the list of those that wait, and {@link #away}, and calls {@link Group}.
 *   <li>A thread that was queued returns only after a leader marked it done, because others may hang below it in the tree
 *       of wake-ups. Whoever finds nobody leading leads itself, so a queued thread is always seen.
 *   <li>A leader that saw others queue makes one of them its heir, who leads next whatever happens; leadership is not free
 *       in between.
 *   <li>No wake-up is lost: a thread queues itself before it looks whether somebody leads; a leader without an heir gives
 *       leadership up before it looks whether somebody queued.
 *   <li>Interrupts end no wait; the flag is set again on return.
 *   <li>An Error strands nobody. From the moment a thread is queued until all that are done are awake nothing is allocated:
 *       the lists go through {@link Waiting} itself. A thread looks for room on its stack before it leads or is queued. What
 *       is thrown nevertheless fails the group, and the leader gives leadership up and wakes one that waits and the last
 *       that arrived, of whom each leads in turn. Who finds no memory to be queued looks again now and then instead.
 * </ol>
 *
 * <p>Done threads are woken as a binary tree, each waking two, because 200 wake-ups in a row would be the limit. The lower
 * ones are marked first: a thread that sees its own mark may wake those below it at once, and they must not sleep again. The
 * heir hangs below them as the last, so that what they write next can be a part of its group.
 *
 * <p>A sync costs the processor as much as several writes. So who leads one for many waits a little until as many writers
 * are here as are away: those who were woken and have not come back. It gives up as soon as they come too slowly.
 */
final class GroupCommit {

    /** What the leader does for a group. */
    interface Group {
        /** Lands, and if asked syncs, everything appended before the call. Returns normally also after a failure. */
        void land(boolean sync);

        /** Whether the lsn has landed, or is durable. */
        boolean reached(long lsn, boolean sync);

        /** Whether nothing will be reached any more. */
        boolean failed();

        /** Makes {@link #failed} true for good; returns normally. */
        void fail(Throwable cause);
    }

    /** Is reached from the start. */
    private static final long NOTHING = 0;

    private static final long LOOK_AGAIN_NANOS = 100_000;

    /** After each of these looks, its part of the missing writers has to be here. */
    private static final int LOOKS = 8;

    /** Of fewer writers enough come while the one before is synced. */
    private static final int LEAST_WANTED = 8;

    private final Group group;
    private final long lookNanos;
    private final AtomicBoolean leading = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicReference<@Nullable Waiting> arrivals = new AtomicReference<>();

    /** A leader that waits until so many have arrived as {@link #wanted}, which is written before. */
    private volatile @Nullable Thread gathering;

    private volatile int wanted;

    // the leader's
    private @Nullable Waiting firstWaiting;
    private @Nullable Waiting lastWaiting;
    private int waitingCount;
    private int away;

    GroupCommit(Group group) {
        this(group, LOOK_AGAIN_NANOS);
    }

    /**
     * Nobody leads yet.
     *
     * @param lookNanos between two looks at how many have come back
     */
    GroupCommit(Group group, long lookNanos) {
        this.group = group;
        this.lookNanos = lookNanos;
    }

    /** A parked thread, its wish, and the two it wakes. */
    private static final class Waiting {
        final Thread thread = Thread.currentThread();
        final long lsn;
        final boolean sync;

        @Nullable
        Waiting below;

        /** With those below it. */
        int count;

        /** The next one and the one before it among those that wait, or that are done. */
        @Nullable
        Waiting next;

        @Nullable
        Waiting previous;

        /** Whether the leader has found it done. */
        boolean served;

        @Nullable
        Waiting left;

        @Nullable
        Waiting right;

        volatile boolean done;
        volatile boolean heir;

        Waiting(long lsn, boolean sync) {
            this.lsn = lsn;
            this.sync = sync;
        }

        void above(@Nullable Waiting other) {
            below = other;
            count = other == null ? 1 : other.count + 1;
        }

        void wakeOthers() {
            if (left != null) {
                LockSupport.unpark(left.thread);
            }
            if (right != null) {
                LockSupport.unpark(right.thread);
            }
        }
    }

    /** Waits until the lsn has landed, or is durable; false if the log failed before. */
    boolean await(long lsn, boolean sync) {
        if (!group.reached(lsn, sync) && !group.failed()) {
            StackProbe.run();
            if (leading.compareAndSet(false, true)) {
                lead(lsn, sync);
            } else {
                waitFor(lsn, sync);
            }
        }
        return group.reached(lsn, sync);
    }

    private void waitFor(long lsn, boolean sync) {
        Waiting self;
        try {
            self = new Waiting(lsn, sync);
        } catch (OutOfMemoryError e) {
            lookNowAndThen(lsn, sync);
            return;
        }
        park(self);
    }

    /** Waits without a place in the queue, for which there is no memory. */
    private void lookNowAndThen(long lsn, boolean sync) {
        boolean interrupted = false;
        while (!group.reached(lsn, sync) && !group.failed()) {
            if (leading.compareAndSet(false, true)) {
                lead(lsn, sync);
            } else {
                LockSupport.parkNanos(this, LOOK_AGAIN_NANOS);
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Leads one synced group now, even if nobody waits for one; false if another thread leads. */
    boolean tryLead() {
        boolean free = leading.compareAndSet(false, true);
        if (free) {
            lead(Long.MAX_VALUE, true);
        }
        return free;
    }

    /** Waits until nobody leads and lets nobody lead again; false if that was done before. */
    boolean leadForEver() {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        while (!leading.compareAndSet(false, true)) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        return true;
    }

    private void park(Waiting self) {
        queue(self);
        boolean interrupted = false;
        while (!self.done) {
            if (self.heir || (!leading.get() && leading.compareAndSet(false, true))) {
                self.heir = false;
                lead(NOTHING, false);
            } else {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
        }
        self.wakeOthers();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void queue(Waiting self) {
        Waiting top;
        do {
            top = arrivals.get();
            self.above(top);
        } while (!arrivals.compareAndSet(top, self));
        Thread leader = gathering;
        if (leader != null && self.count == wanted) {
            LockSupport.unpark(leader);
        }
    }

    /**
     * Runs one group and hands leadership on.
     *
     * @param ownLsn what the leader waits for itself, if it is not queued
     * @param ownSync whether that has to be on disk
     */
    private void lead(long ownLsn, boolean ownSync) {
        boolean interrupted = Thread.interrupted();
        Waiting done = null;
        boolean ended = false;
        try {
            takeArrivals();
            if (!group.reached(ownLsn, ownSync) || isAnyoneWaiting()) {
                land(ownSync);
            }
            done = takeDone();
            ended = true;
        } catch (Throwable e) {
            group.fail(e);
        } finally {
            if (!ended) {
                giveUp();
            }
        }
        if (ended) {
            handOn(done);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets another one lead, whom nobody but this thread would wake. */
    private void giveUp() {
        Waiting next = firstWaiting;
        leading.set(false);
        unpark(next);
        unpark(arrivals.get());
    }

    private void handOn(@Nullable Waiting done) {
        Waiting heir = firstWaiting;
        if (heir == null) {
            leading.set(false);
            wake(done, arrivals.get());
        } else {
            heir.heir = true;
            wake(done, heir);
        }
    }

    private static void unpark(@Nullable Waiting waiter) {
        if (waiter != null) {
            LockSupport.unpark(waiter.thread);
        }
    }

    /** Who appended before a group and queued after it has no need of another one. */
    private boolean isAnyoneWaiting() {
        for (Waiting waiter = firstWaiting; waiter != null; waiter = waiter.next) {
            if (!group.reached(waiter.lsn, waiter.sync)) {
                return true;
            }
        }
        return false;
    }

    private void land(boolean ownSync) {
        boolean sync = ownSync;
        for (Waiting waiter = firstWaiting; waiter != null; waiter = waiter.next) {
            sync |= waiter.sync;
        }
        if (sync) {
            gather();
        }
        if (!group.failed()) {
            group.land(sync);
        }
        takeArrivals();
    }

    /** Waits until as many are here as are away, as long as they come. */
    private void gather() {
        int enough = (away - waitingCount) / 2;
        if (enough < LEAST_WANTED || arrived() >= enough || group.failed()) {
            return;
        }
        wanted = enough;
        gathering = Thread.currentThread();
        int look = 1;
        while (awaitArrivals(enough) < enough && look < LOOKS && arrived() * LOOKS >= enough * look) {
            look++;
        }
        gathering = null;
        if (arrived() < enough) {
            away = 0;
        }
        takeArrivals();
    }

    /** Waits for one look, or an interrupt, or until so many have arrived; returns how many have. */
    private int awaitArrivals(int enough) {
        Thread self = Thread.currentThread();
        long begin = System.nanoTime();
        long left = lookNanos;
        while (left > 0 && arrived() < enough && !self.isInterrupted()) {
            LockSupport.parkNanos(this, left);
            left = lookNanos - (System.nanoTime() - begin);
        }
        return arrived();
    }

    private int arrived() {
        Waiting top = arrivals.get();
        return top == null ? 0 : top.count;
    }

    /** Once they are taken nothing is called, so that nothing is thrown, until all are in the list. */
    private void takeArrivals() {
        Waiting top = arrivals.getAndSet(null);
        if (top == null) {
            return;
        }
        away = away > top.count ? away - top.count : 0;
        waitingCount += top.count;
        for (Waiting at = top; at != null; at = at.below) {
            at.previous = lastWaiting;
            if (lastWaiting == null) {
                firstWaiting = at;
            } else {
                lastWaiting.next = at;
            }
            lastWaiting = at;
        }
    }

    /** Takes those out of the list that are done and returns the first of them. Asks for all before it takes one out. */
    private @Nullable Waiting takeDone() {
        boolean failed = group.failed();
        for (Waiting at = firstWaiting; at != null; at = at.next) {
            at.served = failed || group.reached(at.lsn, at.sync);
        }
        Waiting all = firstWaiting;
        Waiting firstDone = null;
        Waiting lastDone = null;
        firstWaiting = null;
        lastWaiting = null;
        for (Waiting at = all; at != null; ) {
            Waiting following = at.next;
            at.next = null;
            if (at.served) {
                at.previous = lastDone;
                if (lastDone == null) {
                    firstDone = at;
                } else {
                    lastDone.next = at;
                }
                lastDone = at;
                waitingCount--;
                away++;
            } else {
                at.previous = lastWaiting;
                if (lastWaiting == null) {
                    firstWaiting = at;
                } else {
                    lastWaiting.next = at;
                }
                lastWaiting = at;
            }
            at = following;
        }
        return firstDone;
    }

    /** Marks and wakes who is done, and whoever is to lead next, behind them; that one's place in the list is not its own. */
    private static void wake(@Nullable Waiting done, @Nullable Waiting next) {
        Waiting below = done == null ? null : done.next;
        Waiting last = null;
        for (Waiting at = done; at != null; at = at.next) {
            at.left = below;
            below = below == null ? null : below.next;
            at.right = below;
            below = below == null ? null : below.next;
            last = at;
        }
        if (last != null) {
            last.left = next;
        }
        for (Waiting at = last; at != null; ) {
            Waiting before = at.previous;
            at.done = true;
            at = before;
        }
        unpark(done == null ? next : done);
    }
}
