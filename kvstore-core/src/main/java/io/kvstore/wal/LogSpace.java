package io.kvstore.wal;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntToLongFunction;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * What the files of a log take, which tables need them, and how they are freed.
 *
 * <p>Uses the log's lock. A file goes from the pool to the active ones, and back, under it; so counted under it, each file
 * counts once. The pool's own lock is taken before it, and never while it is held.
 */
public final class LogSpace {

    private final LogConfig config;
    private final ReentrantLock lock;
    private final ActiveSegments active;
    private final SegmentPool pool;
    private final LongSupplier durableSegment;
    private final LongPredicate isUnsynced;
    private final AtomicLong freed = new AtomicLong();

    /**
     * @param durableSegment the segment that the log is durable in
     * @param isUnsynced whether a full segment has not been synced; asked under the lock
     */
    LogSpace(
            LogConfig config,
            RecoveredLog recovered,
            ReentrantLock lock,
            LongSupplier durableSegment,
            LongPredicate isUnsynced) {
        this.config = config;
        this.lock = lock;
        this.durableSegment = durableSegment;
        this.isUnsynced = isUnsynced;
        this.active = new ActiveSegments(recovered.segments());
        this.pool = new SegmentPool(config, recovered.nextSegmentId(), this::files);
    }

    ActiveSegments active() {
        return active;
    }

    SegmentPool pool() {
        return pool;
    }

    /**
     * The oldest segment that is kept; what came before may be deleted once that is durable in the catalog. It is never behind
     * the one that the log is durable in: of the next one not even the head may be in its file.
     */
    public long firstNeededSegment(IntToLongFunction heldLsn) {
        lock.lock();
        try {
            return active.firstNeeded(lastDurable(), heldLsn).id();
        } finally {
            lock.unlock();
        }
    }

    /** Gives up the segments before that one, and tries again to delete what could not be deleted before. */
    public void deleteBefore(long segmentId) throws IOException {
        List<ActiveSegment> free;
        lock.lock();
        try {
            free = active.before(segmentId, segment -> !isUnsynced.test(segment.id()));
            pool.giveUp(free);
            active.remove(free);
            freed.addAndGet(free.size());
        } finally {
            lock.unlock();
        }
        pool.reuse(free);
    }

    /** The last segment of which something is durable, or the one that is written. */
    private long lastDurable() {
        return Math.min(active.current().id(), durableSegment.getAsLong());
    }

    /** How many segments were freed so far. */
    public long freedSegments() {
        return freed.get();
    }

    /** A table that needs the oldest segment, as {@link #firstNeededSegment} says; -1 if no table keeps a full segment. */
    public int holder(IntToLongFunction heldLsn) {
        lock.lock();
        try {
            ActiveSegment first = active.firstNeeded(lastDurable(), heldLsn);
            return first.id() >= lastDurable() ? -1 : first.holder(heldLsn);
        } finally {
            lock.unlock();
        }
    }

    /** Bytes of the segments that are full. */
    public long fullBytes() {
        lock.lock();
        try {
            return active.files().bytes() - active.current().bytes();
        } finally {
            lock.unlock();
        }
    }

    /** A file goes from the pool to the active ones, and back, under the lock: so each counts once. */
    private LogFiles files() {
        lock.lock();
        try {
            return active.files().plus(pool.files());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Hands out the operations of a table in the full segments that are durable. Whoever calls it sees to it that none of these
     * is freed meanwhile.
     *
     * @param above no operation up to this lsn is handed out
     * @return the lsn of the last one, or {@code above}
     */
    public long copy(int tableId, long above, LogRecovery.Replay receiver) throws IOException {
        List<ActiveSegment> full;
        lock.lock();
        try {
            full = active.below(lastDurable());
        } finally {
            lock.unlock();
        }
        long[] last = {above};
        for (ActiveSegment segment : full) {
            new TableRecords(config, segment).visit(tableId, above, (lsn, operation) -> {
                receiver.apply(lsn, operation);
                last[0] = lsn;
            });
        }
        return last[0];
    }

    /** With the lock held. */
    LogStats stats(LogCounters counters, long lastLsn, long durableLsn) {
        return counters.stats(lastLsn, durableLsn, active.files(), files(), config.limitBytes());
    }
}
