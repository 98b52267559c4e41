package io.kvstore.wal;

import io.kvstore.error.DiskFullException;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.WatermarkPayload;
import io.kvstore.wal.segment.ActiveSegments;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.LogSegment;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The log of one store. It knows bytes and table ids, but no engines.
 *
 * <h2>Locks</h2>
 *
 * <p>{@link #lock} guards position, segments and the order of records. It is held for a copy and never during I/O. The last lsn
 * may rise even while another thread holds the lock, so code that uses it for several things reads it once. One leader at a
 * time writes and syncs ({@link GroupCommit}).
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Lsn order is log order: the lsn of a record is claimed, and the record copied, under {@link #lock}. The records in the
 *       log are a prefix of the records for which lsns were claimed, so no acknowledged record lies behind a hole. Lsns without
 *       a record may be claimed in between at any time.
 *   <li>{@link #durable} covers every record up to its lsn, in this and all earlier segments. Full segments are synced before
 *       the current one.
 *   <li>A watermark or seal states only a place and lsn that were durable when it was appended.
 *   <li>Any {@link Throwable} while appending, landing or syncing fails the log for good. Nothing is retried. Waiting writers
 *       learn that their outcome is unknown. Durable data stays readable.
 *   <li>Records have landed before they are acknowledged as buffered. At most two full segments are unsynced. If no tick comes
 *       for twice the interval between syncs, the next writer syncs.
 * </ol>
 */
public final class WriteAheadLog implements AutoCloseable {

    /** Returned by {@link #append} if the caller must first call {@link #makeRoom}, without locks. */
    public static final long NO_ROOM = -1;

    private static final int MAX_UNSYNCED_SEGMENTS = 2;
    private static final long IDLE_NANOS = 50_000_000;

    private final LogConfig config;
    private final SegmentPool pool;
    private final LogSpace space;
    private final ReentrantLock lock = new ReentrantLock();
    private final GroupCommit groups = new GroupCommit(new LeaderWork());
    private final AtomicBoolean syncingFull = new AtomicBoolean();
    private final LogTail tail;
    private final LogCounters counters;

    private final AtomicLong lastLsn;

    // guarded by lock
    private final ActiveSegments active;
    private final ArrayDeque<LogSegment> fullUnsynced = new ArrayDeque<>();
    private volatile int unsyncedSegments;

    /** The next segment while the log moves to it. If the move fails, the old segment may name it, so its file stays. */
    private @Nullable LogSegment movingTo;

    private boolean sealed;
    private volatile boolean closed;

    // written by the leader
    private volatile long landedLsn;
    private volatile WatermarkPayload durable;
    private volatile long statedLsn;
    private volatile long lastSyncNanos;

    private volatile @Nullable Throwable failure;

    WriteAheadLog(LogConfig config, RecoveredLog recovered) {
        this.config = config;
        this.space = new LogSpace(config, recovered, lock, () -> durable, this::isUnsynced);
        this.active = space.active();
        this.pool = space.pool();
        this.counters = new LogCounters(config.clock(), config.syncIntervalMillis());
        this.tail = new LogTail(config.storeId(), recovered.current(), recovered.position());
        this.lastLsn = new AtomicLong(recovered.lastLsn());
        this.landedLsn = recovered.lastLsn();
        this.statedLsn = recovered.lastLsn();
        this.durable = new WatermarkPayload(recovered.current().id(), recovered.position(), recovered.lastLsn(), 0);
        this.lastSyncNanos = config.clock().nanoTime();
        pool.prepareAhead();
    }

    /**
     * Makes sure that a record finds room. Called before any lock is taken; may do I/O.
     *
     * @param bytes the record's {@link LogRecord#frameBytes()}
     * @param maySpare whether the record only removes, and may use the spare that is set aside for a full disk
     * @return false if there is no room until segments are freed, because the log has reached its limit
     * @throws DiskFullException if the disk is full; nothing was written
     */
    public boolean makeRoom(long bytes, boolean maySpare) {
        if (!tail.hasRoom(bytes)) {
            long needed = LogFormat.SEGMENT_HEADER_BYTES + bytes + LogTail.LAST_BYTES;
            if (!pool.require(needed, maySpare)) {
                return false;
            }
        }
        if (unsyncedSegments >= MAX_UNSYNCED_SEGMENTS) {
            sync(lastLsn.get());
        }
        if (counters.isOverdue()) {
            tickInPlace();
        }
        Runnable populating = tail.populateAhead();
        if (populating != null) {
            config.background().offer(populating);
        }
        return true;
    }

    /** Syncs the appended records in place of a tick that did not come, unless another thread leads. */
    private void tickInPlace() {
        counters.ticked();
        if (lastLsn.get() > durable.lsn()) {
            groups.tryLead();
        }
    }

    /** Appends a record and returns its lsn, or {@link #NO_ROOM}. Takes the log's own lock and does no I/O. */
    public long append(LogRecord record, boolean maySpare) {
        lock.lock();
        try {
            checkUsable();
            long bytes = record.frameBytes();
            if (!tail.hasRoom(bytes) && !switchSegment(bytes, maySpare)) {
                return NO_ROOM;
            }
            if (!hasMemory(bytes)) {
                throw new OverloadedException(
                        "there is no memory to stage a record of " + bytes + " bytes; write less at a time");
            }
            long lsn = lastLsn.incrementAndGet();
            tail.append(lsn, record);
            active.current().note(record.tables(), lsn);
            counters.appended(bytes);
            if (tail.isHalfFull()) {
                pool.hurry();
            }
            return lsn;
        } catch (StoreFailedException | OverloadedException e) {
            throw e;
        } catch (Throwable e) {
            fail(e);
            throw new OutcomeUnknownException(
                    "the log failed while a record was appended; whether it survived shows when the store is opened"
                            + " again",
                    e);
        } finally {
            lock.unlock();
        }
    }

    private boolean hasMemory(long bytes) {
        try {
            tail.reserve(bytes);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    /** Gives out an lsn for an operation that is not logged. Takes no lock. */
    public long claim() {
        checkUsable();
        return lastLsn.incrementAndGet();
    }

    /** Goes on in the next prepared segment. False if none fits. */
    private boolean switchSegment(long bytes, boolean maySpare) {
        LogSegment next = pool.take(LogFormat.SEGMENT_HEADER_BYTES + bytes + LogTail.LAST_BYTES, maySpare);
        if (next == null) {
            return false;
        }
        LogSegment full = tail.segment();
        movingTo = next;
        long end = tail.moveTo(next, lastLsn.get());
        movingTo = null;
        fullUnsynced.add(full);
        unsyncedSegments = fullUnsynced.size();
        active.moveTo(next, end);
        pool.hurry();
        config.background().executeOnce(syncingFull, this::syncFull);
        return true;
    }

    /** Syncs full segments ahead. Correctness does not depend on it: a writer that finds too many full segments syncs them. */
    private void syncFull() {
        syncingFull.set(false);
        groups.await(lastLsn.get(), true);
    }

    /** Waits until the record of that lsn survives the process. False if the log failed before that. */
    public boolean land(long lsn) {
        if (config.landing() == LogConfig.Landing.MAPPED) {
            return failure == null || lsn <= landedLsn;
        }
        return groups.await(lsn, false);
    }

    /** Waits until every record up to that lsn is durable. False if the log failed before that. */
    public boolean sync(long lsn) {
        return groups.await(lsn, true);
    }

    public long durableLsn() {
        return durable.lsn();
    }

    public long currentSegment() {
        return tail.segment().id();
    }

    public long lastLsn() {
        return lastLsn.get();
    }

    /** To be called about every 50 ms. Keeps the sync interval, and appends the watermark of a log that has become idle. */
    public void tick() {
        counters.ticked();
        if (failure != null) {
            return;
        }
        long sinceSyncNanos = config.clock().nanoTime() - lastSyncNanos;
        boolean pending = lastLsn.get() > durable.lsn();
        boolean unstated = statedLsn < durable.lsn();
        if (pending && sinceSyncNanos >= config.syncIntervalMillis() * 1_000_000) {
            groups.await(lastLsn.get(), true);
        } else if (!pending && unstated && sinceSyncNanos >= IDLE_NANOS) {
            groups.tryLead();
        }
    }

    private final class LeaderWork implements GroupCommit.Group {

        @Override
        public boolean reached(long lsn, boolean sync) {
            return lsn <= (sync ? durable.lsn() : landedLsn);
        }

        @Override
        public boolean failed() {
            return failure != null;
        }

        @Override
        public void fail(Throwable cause) {
            WriteAheadLog.this.fail(cause);
        }

        @Override
        public void land(boolean sync) {
            try {
                landAndSync(sync);
            } catch (Throwable e) {
                fail(e);
            }
        }
    }

    /** The segments that one group covers, and the lsn and the offset at which it ends. */
    private record Captured(List<LogSegment> full, LogSegment last, long lsn, long end, long statedLsn) {}

    private void landAndSync(boolean sync) throws IOException {
        if (sync) {
            tail.segment().prepareSync(tail.position());
        }
        Captured group = capture(sync);
        for (LogSegment segment : group.full()) {
            segment.finish();
            releaseFull();
        }
        group.last().land();
        landedLsn = group.lsn();
        if (sync) {
            long start = config.clock().nanoTime();
            group.last().sync();
            durable = new WatermarkPayload(group.last().id(), group.end(), group.lsn(), 0);
            statedLsn = Math.max(statedLsn, group.statedLsn());
            lastSyncNanos = config.clock().nanoTime();
            counters.synced(lastSyncNanos - start);
        }
    }

    private Captured capture(boolean sync) {
        lock.lock();
        try {
            checkUsable(); // a writer that failed meanwhile may have left a frame or a segment half done
            WatermarkPayload stated = durable;
            boolean state = sync && !sealed && (tail.hasRoomToMark() || switchSegment(LogTail.MARK_BYTES, false));
            LogRecord mark = state ? watermarkOrNull(stated) : null;
            long lsn = lastLsn.get();
            if (mark != null) {
                tail.append(lsn, mark);
            }
            List<LogSegment> full = new ArrayList<>(fullUnsynced);
            full.forEach(segment -> segment.capture(segment.capacity()));
            LogSegment last = tail.segment();
            last.capture(tail.position());
            return new Captured(full, last, lsn, tail.position(), mark != null ? stated.lsn() : 0);
        } finally {
            lock.unlock();
        }
    }

    /** A watermark, or null without memory. A group without one is as durable as any other: the next group states it. */
    private @Nullable LogRecord watermarkOrNull(WatermarkPayload stated) {
        try {
            return prepareMark(LogFormat.WATERMARK, stated);
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    private LogRecord prepareMark(byte kind, WatermarkPayload stated) {
        return tail.prepareMark(kind, stated.withCatalog(config.catalog().getAsLong()));
    }

    private void releaseFull() {
        lock.lock();
        try {
            fullUnsynced.remove();
            unsyncedSegments = fullUnsynced.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Fails the log for good. The first cause is kept. Returns normally and takes no memory, so that threads that wait for the
     * log can be told. A thread that the log refuses finds the store failed, too.
     */
    public void fail(Throwable cause) {
        if (failure == null) {
            try {
                config.onFailure().accept(cause);
            } finally {
                lock.lock();
                try {
                    failure = failure == null ? cause : failure;
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    /** For a thread that was torn out of {@link #append} by an Error: releases the log's lock if the thread still has it. */
    public void unlockIfMine() {
        while (lock.isHeldByCurrentThread()) {
            lock.unlock();
        }
    }

    private StoreFailedException failed() {
        return new StoreFailedException(
                "the log failed and takes no more writes; close the store and open it again to recover", failure);
    }

    private void checkUsable() {
        if (failure != null || closed) {
            throw failed();
        }
    }

    public LogSpace space() {
        return space;
    }

    private boolean isUnsynced(long segmentId) {
        return fullUnsynced.stream().anyMatch(unsynced -> unsynced.id() == segmentId);
    }

    public LogStats stats() {
        lock.lock();
        try {
            return counters.stats(lastLsn.get(), durable.lsn(), space);
        } finally {
            lock.unlock();
        }
    }

    /** Syncs, seals and closes the log. After a failure it only closes the log. */
    @Override
    public void close() throws IOException {
        if (failure == null && sync(lastLsn.get())) {
            seal();
        }
        if (groups.leadForEver()) {
            try (pool) { // not under the lock: a thread that prepares a segment takes it, too
                lock.lock();
                try {
                    closed = true;
                    closeFiles();
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    private void closeFiles() throws IOException {
        try {
            for (LogSegment segment : fullUnsynced) {
                segment.close();
            }
        } finally {
            try (LogSegment _ = movingTo) {
                tail.segment().close();
            }
        }
    }

    private void seal() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            tail.append(lastLsn.get(), prepareMark(LogFormat.SEAL, durable));
            sealed = true;
        } finally {
            lock.unlock();
        }
        groups.leadNext();
    }
}
