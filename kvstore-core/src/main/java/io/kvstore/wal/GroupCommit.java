package io.kvstore.wal;

import io.kvstore.data.Pause;
import io.kvstore.error.StackProbe;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: writers that wait at the same time share one write and one sync. One of them leads; the others park.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>At most one thread leads. Only the leader touches the list of waiting threads and {@link #away}, and calls
 *       {@link Group#land} and {@link Group#fail}.
 *   <li>A thread that was queued returns only after a leader marked it done, because others may hang below it in the tree of
 *       wake-ups. A waiting thread that finds no leader leads itself, so every queued thread is seen.
 *   <li>A leader that leaves threads waiting in its list makes the first of them its heir. The heir leads next in any case, and
 *       leadership is not free in between.
 *   <li>No wake-up is lost. A thread queues itself before it checks whether a thread leads. A leader without an heir gives up
 *       leadership before it checks whether a thread has queued.
 *   <li>An interrupt does not end a wait. The interrupt flag is set again on return.
 *   <li>An Error strands no thread. Nothing is allocated from the moment a thread is queued until all done threads are awake:
 *       the lists are linked through {@link Waiting} itself. A thread checks the room on its stack before it leads or is
 *       queued. If something is thrown nevertheless, the group fails. The leader then gives up leadership, and wakes the first
 *       waiting thread and the last arrival; each of the two leads in turn. A thread that finds no memory to be queued polls
 *       instead.
 *   <li>Behind a leader that leads for ever no thread waits. That leader sets {@link #isOver} before it takes the arrivals.
 *       A thread reads {@link #isOver} after it has queued itself, and then releases all arrivals, too. The thread that takes
 *       an arrival out of the stack marks it done.
 * </ol>
 *
 * <p>Done threads are woken as a binary tree in which each thread wakes two others, because 200 wake-ups in a row would limit
 * throughput. Threads lower in the tree are marked done first: a thread that sees its own mark may wake the threads below it at
 * once, and these must not sleep again. The heir hangs below all done threads as the last one, so that their next writes can be
 * part of its group.
 *
 * <p>A sync costs the processor as much as several writes. So a leader that syncs for many writers waits a little, until the
 * number of queued writers equals the number of writers that are away. A writer is away if it was woken and has not come back.
 * The leader gives up as soon as writers come back too slowly.
 */
final class GroupCommit {

    /** The work that the leader does for a group, and the state that waiting threads ask for. */
    interface Group {
        /** Lands all that was appended before the call, and syncs it if {@code sync}. Returns normally even after a failure. */
        void land(boolean sync);

        /** Whether the lsn has landed or, if {@code sync} is set, is durable. */
        boolean reached(long lsn, boolean sync);

        /** Whether the log has failed, so that no further lsn will be reached. */
        boolean failed();

        /** Makes {@link #failed} true for good. Returns normally. */
        void fail(Throwable cause);
    }

    /** An lsn that is reached from the start. */
    private static final long NOTHING = 0;

    private static final long LOOK_AGAIN_NANOS = 100_000;

    /** The most looks of a leader that gathers. After look n, at least n / LOOKS of the missing writers must have arrived. */
    private static final int LOOKS = 8;

    /** A leader waits for at least this many missing writers. If fewer are missing, enough come during the sync before. */
    private static final int LEAST_WANTED = 8;

    private final Group group;
    private final long lookNanos;
    private final AtomicBoolean leading = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicReference<@Nullable Waiting> arrivals = new AtomicReference<>();

    /** A leader that waits until {@link #wanted} threads have arrived. Written after {@link #wanted}. */
    private volatile @Nullable Thread gathering;

    private volatile int wanted;

    /** Whether the last leader leads. */
    private volatile boolean isOver;

    // used by the leader only
    private @Nullable Waiting firstWaiting;
    private @Nullable Waiting lastWaiting;
    private int waitingCount;
    private int away;

    GroupCommit(Group group) {
        this(group, LOOK_AGAIN_NANOS);
    }

    /** @param lookNanos time between two looks at the number of writers that have come back */
    GroupCommit(Group group, long lookNanos) {
        this.group = group;
        this.lookNanos = lookNanos;
    }

    /** A parked thread, the lsn that it waits for, and the two threads that it wakes. */
    private static final class Waiting {
        final Thread thread = Thread.currentThread();
        final long lsn;
        final boolean sync;

        private @Nullable Waiting below;

        /** The number of arrivals from this one down. */
        int count;

        /** The neighbours, here and in {@link #previous}, in the list of waiting threads or in the list of done threads. */
        private @Nullable Waiting next;

        private @Nullable Waiting previous;

        /** Whether the leader found that this thread is done. */
        boolean served;

        private @Nullable Waiting left;
        private @Nullable Waiting right;
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
            unpark(left);
            unpark(right);
        }
    }

    /** Waits until the lsn has landed or, if {@code sync} is set, is durable. False if the log failed or ended before that. */
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

    /** Polls, because there is no memory for a place in the queue. */
    private void lookNowAndThen(long lsn, boolean sync) {
        while (!group.reached(lsn, sync) && !group.failed() && !isOver) {
            if (leading.compareAndSet(false, true)) {
                lead(lsn, sync);
            } else {
                Pause.nanos(LOOK_AGAIN_NANOS);
            }
        }
    }

    /** Leads one synced group now, even if no thread waits for one. False if another thread leads. */
    boolean tryLead() {
        boolean free = leading.compareAndSet(false, true);
        if (free) {
            lead(Long.MAX_VALUE, true);
        }
        return free;
    }

    /** Waits until no thread leads, and then leads one synced group, even if no thread waits for one. */
    void leadNext() {
        becomeLeader();
        lead(Long.MAX_VALUE, true);
    }

    /**
     * Waits until no thread leads, and then lets no thread lead again. Threads that wait then, or later, return at once.
     * False if this was called before.
     */
    boolean leadForEver() {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        becomeLeader();
        isOver = true;
        takeArrivals(); // behind threads that a leader left when it gave up
        for (Waiting at = firstWaiting; at != null; at = at.next) {
            release(at);
        }
        firstWaiting = null;
        lastWaiting = null;
        return true;
    }

    private void releaseArrivals() {
        for (Waiting at = arrivals.getAndSet(null); at != null; at = at.below) {
            release(at);
        }
    }

    /** Marks and wakes a thread below which no other thread hangs. */
    private static void release(Waiting waiting) {
        waiting.done = true;
        unpark(waiting);
    }

    private void becomeLeader() {
        while (!leading.compareAndSet(false, true)) {
            Pause.nanos(LOOK_AGAIN_NANOS);
        }
    }

    private void park(Waiting self) {
        queue(self);
        if (isOver) {
            releaseArrivals();
        }
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

    /** Runs one group and hands leadership on. The leader itself waits for {@code ownLsn}, unless it is queued. */
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

    /** Gives up leadership. Wakes the first waiting thread and the last arrival, which no other thread would wake. */
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

    /** Whether a queued thread needs a group. A thread that appended before the last group and queued after it needs none. */
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

    /** Waits until as many writers are queued as are away, as long as they come fast enough. */
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

    /** Waits for the time of one look, an interrupt, or {@code enough} arrivals. Returns the number of arrivals. */
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

    /** Moves the arrivals into the list. Until all of them are in the list no method is called, so nothing is thrown. */
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

    /** Takes the done threads out of the list and returns the first. Asks the group about all before it takes one out. */
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

    /**
     * Marks and wakes the done threads, and behind them the thread that is to lead next. The list links of {@code next} are not
     * touched, as they belong to another list.
     */
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
