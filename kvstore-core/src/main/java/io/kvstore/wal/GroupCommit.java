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
 *   <li>At most one thread leads; only it touches {@link #waiting} and calls {@link Group}.
 *   <li>A thread that was queued returns only after a leader marked it done, because others may hang below it in the tree
 *       of wake-ups. Whoever finds nobody leading leads itself, so a queued thread is always seen.
 *   <li>No wake-up is lost: a thread queues itself before it looks whether somebody leads; a leader gives leadership up
 *       before it looks whether somebody queued.
 *   <li>Interrupts end no wait; the flag is set again on return.
 * </ol>
 *
 * <p>Done threads are woken as a binary tree, each waking two, because 200 wake-ups in a row would be the limit. The lower
 * ones are marked first: a thread that sees its own mark may wake those below it at once, and they must not sleep again.
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

    private final Group group;
    private final AtomicBoolean leading = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicReference<@Nullable Waiting> arrivals = new AtomicReference<>();
    private final List<Waiting> waiting = new ArrayList<>();

    GroupCommit(Group group) {
        this.group = group;
    }

    /** A parked thread, its wish, and the two it wakes. */
    private static final class Waiting {
        final Thread thread = Thread.currentThread();
        final long lsn;
        final boolean sync;

        @Nullable
        Waiting below;

        @Nullable
        Waiting left;

        @Nullable
        Waiting right;

        volatile boolean done;

        Waiting(long lsn, boolean sync) {
            this.lsn = lsn;
            this.sync = sync;
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
                lead(sync);
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
            lead(true);
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
        do {
            self.below = arrivals.get();
        } while (!arrivals.compareAndSet(self.below, self));
        boolean interrupted = false;
        while (!self.done) {
            if (!leading.get() && leading.compareAndSet(false, true)) {
                lead(false);
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

    /** Runs one group and hands leadership on. */
    private void lead(boolean ownSync) {
        boolean interrupted = Thread.interrupted();
        List<Waiting> done;
        Waiting next;
        try {
            takeArrivals();
            boolean sync = ownSync;
            for (Waiting waiter : waiting) {
                sync |= waiter.sync;
            }
            if (!group.failed()) {
                group.land(sync);
            }
            takeArrivals();
            done = takeDone();
            next = waiting.isEmpty() ? null : waiting.getFirst();
        } finally {
            leading.set(false);
        }
        if (next == null) {
            next = arrivals.get();
        }
        if (next != null) {
            LockSupport.unpark(next.thread);
        }
        wake(done);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void takeArrivals() {
        for (Waiting at = arrivals.getAndSet(null); at != null; at = at.below) {
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

    private static void wake(List<Waiting> done) {
        for (int i = 0; i < done.size(); i++) {
            Waiting waiter = done.get(i);
            waiter.left = 2 * i + 1 < done.size() ? done.get(2 * i + 1) : null;
            waiter.right = 2 * i + 2 < done.size() ? done.get(2 * i + 2) : null;
        }
        for (int i = done.size() - 1; i >= 0; i--) {
            done.get(i).done = true;
        }
        if (!done.isEmpty()) {
            LockSupport.unpark(done.getFirst().thread);
        }
    }
}
