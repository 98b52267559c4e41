package io.kvstore.wal;

import java.util.ArrayList;
import java.util.List;
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
 *   <li>At most one thread leads; only it touches {@link #waiting} and {@link #away}, and calls {@link Group}.
 *   <li>A thread that was queued returns only after a leader marked it done, because others may hang below it in the tree
 *       of wake-ups. Whoever finds nobody leading leads itself, so a queued thread is always seen.
 *   <li>A leader that saw others queue makes one of them its heir, who leads next whatever happens; leadership is not free
 *       in between.
 *   <li>No wake-up is lost: a thread queues itself before it looks whether somebody leads; a leader without an heir gives
 *       leadership up before it looks whether somebody queued.
 *   <li>Interrupts end no wait; the flag is set again on return.
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
    }

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
    private volatile @Nullable Gathering gathering;

    // the leader's
    private final List<Waiting> waiting = new ArrayList<>();
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

    /** A leader that waits until so many have arrived. */
    private record Gathering(Thread leader, int wanted) {}

    /** A parked thread, its wish, and the two it wakes. */
    private static final class Waiting {
        final Thread thread = Thread.currentThread();
        final long lsn;
        final boolean sync;

        @Nullable
        Waiting below;

        /** With those below it. */
        int count;

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
            if (leading.compareAndSet(false, true)) {
                lead(!group.reached(lsn, sync), sync);
            } else {
                park(lsn, sync);
            }
        }
        return group.reached(lsn, sync);
    }

    /** Leads one synced group now, even if nobody waits for one; false if another thread leads. */
    boolean tryLead() {
        boolean free = leading.compareAndSet(false, true);
        if (free) {
            lead(true, true);
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

    private void park(long lsn, boolean sync) {
        Waiting self = new Waiting(lsn, sync);
        queue(self);
        boolean interrupted = false;
        while (!self.done) {
            if (self.heir || (!leading.get() && leading.compareAndSet(false, true))) {
                self.heir = false;
                lead(false, false);
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
        Gathering now = gathering;
        if (now != null && self.count == now.wanted) {
            LockSupport.unpark(now.leader);
        }
    }

    /**
     * Runs one group and hands leadership on.
     *
     * @param needed whether also if all who wait have what they wait for
     * @param ownSync whether synced if nobody who waits asks for it
     */
    private void lead(boolean needed, boolean ownSync) {
        boolean interrupted = Thread.interrupted();
        List<Waiting> done = List.of();
        Waiting next = null;
        try {
            takeArrivals();
            if (needed || isAnyoneWaiting()) {
                land(ownSync);
            }
            done = takeDone();
            away += done.size();
            next = waiting.isEmpty() ? null : waiting.getFirst();
        } finally {
            if (next == null) {
                leading.set(false);
            } else {
                next.heir = true;
            }
        }
        wake(done, next == null ? arrivals.get() : next);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Who appended before a group and queued after it has no need of another one. */
    private boolean isAnyoneWaiting() {
        for (Waiting waiter : waiting) {
            if (!group.reached(waiter.lsn, waiter.sync)) {
                return true;
            }
        }
        return false;
    }

    private void land(boolean ownSync) {
        boolean sync = ownSync;
        for (Waiting waiter : waiting) {
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
        int wanted = (away - waiting.size()) / 2;
        if (wanted < LEAST_WANTED || arrived() >= wanted || group.failed()) {
            return;
        }
        gathering = new Gathering(Thread.currentThread(), wanted);
        int look = 1;
        while (awaitArrivals(wanted) < wanted && look < LOOKS && arrived() * LOOKS >= wanted * look) {
            look++;
        }
        gathering = null;
        if (arrived() < wanted) {
            away = 0;
        }
        takeArrivals();
    }

    /** Waits for one look, or an interrupt, or until so many have arrived; returns how many have. */
    private int awaitArrivals(int wanted) {
        Thread self = Thread.currentThread();
        long begin = System.nanoTime();
        long left = lookNanos;
        while (left > 0 && arrived() < wanted && !self.isInterrupted()) {
            LockSupport.parkNanos(this, left);
            left = lookNanos - (System.nanoTime() - begin);
        }
        return arrived();
    }

    private int arrived() {
        Waiting top = arrivals.get();
        return top == null ? 0 : top.count;
    }

    private void takeArrivals() {
        Waiting top = arrivals.getAndSet(null);
        away = Math.max(0, away - (top == null ? 0 : top.count));
        for (Waiting at = top; at != null; at = at.below) {
            waiting.add(at);
        }
    }

    private List<Waiting> takeDone() {
        List<Waiting> done = new ArrayList<>();
        boolean failed = group.failed();
        waiting.removeIf(waiter -> {
            boolean reached = failed || group.reached(waiter.lsn, waiter.sync);
            if (reached) {
                done.add(waiter);
            }
            return reached;
        });
        return done;
    }

    /** Marks and wakes who is done, and whoever is to lead next, behind them. */
    private static void wake(List<Waiting> done, @Nullable Waiting next) {
        List<Waiting> woken = new ArrayList<>(done);
        if (next != null) {
            woken.add(next);
        }
        for (int i = 0; i < done.size(); i++) {
            Waiting waiter = done.get(i);
            waiter.left = 2 * i + 1 < woken.size() ? woken.get(2 * i + 1) : null;
            waiter.right = 2 * i + 2 < woken.size() ? woken.get(2 * i + 2) : null;
        }
        for (int i = done.size() - 1; i >= 0; i--) {
            done.get(i).done = true;
        }
        if (!woken.isEmpty()) {
            LockSupport.unpark(woken.getFirst().thread);
        }
    }
}
