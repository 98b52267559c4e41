package io.kvstore.wal;

import io.kvstore.data.TableMutations;
import io.kvstore.error.CorruptionException;
import io.kvstore.wal.format.FrameHeader;
import io.kvstore.wal.format.FrameScanner;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.WatermarkPayload;
import io.kvstore.wal.segment.ActiveSegment;
import io.kvstore.wal.segment.ActiveSegments;
import io.kvstore.wal.segment.Gaps;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.LogFiles;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntToLongFunction;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * The space that the files of a log take, the tables that need these files, and the way in which files are freed.
 *
 * <p>Uses the log's lock. A file moves between the pool and the active segments under that lock, so a count under the lock
 * counts each file once. The pool's {@code making} lock is taken before the log's lock, and never while the log's lock is held.
 */
public final class LogSpace {

    private final LogConfig config;
    private final ReentrantLock lock;
    private final ActiveSegments active;
    private final SegmentPool pool;
    private final Supplier<WatermarkPayload> durable;
    private final LongPredicate isUnsynced;
    private final AtomicLong freed = new AtomicLong();

    /** Guarded by the lock. */
    private final List<LogHold> held = new ArrayList<>();

    /**
     * @param durable gives the place at which the durable part of the log ends
     * @param isUnsynced whether a full segment has not been synced yet; asked under the lock
     */
    LogSpace(
            LogConfig config,
            RecoveredLog recovered,
            ReentrantLock lock,
            Supplier<WatermarkPayload> durable,
            LongPredicate isUnsynced) {
        this.config = config;
        this.lock = lock;
        this.durable = durable;
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
     * The id of the oldest segment that is kept. Segments before it may be deleted once this id is durable in the catalog. The
     * id is never greater than that of the segment in which the durable part of the log ends: the file of a later segment may
     * not even hold its head yet.
     */
    public long firstNeededSegment(IntToLongFunction heldLsn) {
        lock.lock();
        try {
            return active.firstNeeded(lastDurable(), heldLsn).id();
        } finally {
            lock.unlock();
        }
    }

    /** Gives up the segments before {@code segmentId}, and tries again to delete files that could not be deleted before. */
    public void deleteBefore(long segmentId) throws IOException {
        List<ActiveSegment> free;
        lock.lock();
        try {
            free = active.before(segmentId, segment -> !isUnsynced.test(segment.id()) && !isHeld(segment.id()));
            // one at a time, so that a lack of memory leaves no segment with both the pool and the log
            for (ActiveSegment segment : free) {
                pool.giveUp(segment);
                active.removeOldest();
                freed.incrementAndGet();
            }
        } finally {
            lock.unlock();
        }
        pool.reuse(free);
    }

    private boolean isHeld(long segmentId) {
        return held.stream().anyMatch(hold -> segmentId >= hold.oldest());
    }

    /** Keeps all segments that there are now, and those that follow. */
    public LogHold hold() {
        lock.lock();
        try {
            LogHold hold = new LogHold(config, this, active.oldest().id());
            held.add(hold);
            return hold;
        } finally {
            lock.unlock();
        }
    }

    void release(LogHold hold) {
        lock.lock();
        try {
            held.remove(hold);
        } finally {
            lock.unlock();
        }
    }

    /** Keeps nothing for holds any more. Called when a writer would have to wait for them. */
    public void breakHolds() {
        lock.lock();
        try {
            held.forEach(LogHold::markBroken);
            held.clear();
        } finally {
            lock.unlock();
        }
    }

    /** A part of a file that holds durable frames. */
    record Part(long segmentId, String path, Gaps.Span span) {}

    /** The durable part of the log from a segment on that is held. */
    List<Part> durableFrom(long segmentId) {
        lock.lock();
        try {
            if (active.oldest().id() > segmentId) {
                throw new IllegalStateException("segment " + segmentId + " of the log is gone, though it was held");
            }
            WatermarkPayload end = durable.get();
            List<Part> parts = new ArrayList<>();
            for (ActiveSegment segment : active.from(segmentId)) {
                boolean isLast = segment.id() == end.segmentId();
                List<Gaps.Span> spans = segment.id() == active.current().id()
                        ? List.of(new Gaps.Span(LogFormat.SEGMENT_HEADER_BYTES, end.offset()))
                        : segment.filled();
                for (Gaps.Span span : segment.id() <= end.segmentId() ? spans : List.<Gaps.Span>of()) {
                    long to = isLast ? Math.min(span.to(), end.offset()) : span.to();
                    if (span.from() < to) {
                        parts.add(new Part(segment.id(), segment.path(), new Gaps.Span(span.from(), to)));
                    }
                }
            }
            return parts;
        } finally {
            lock.unlock();
        }
    }

    /** The id of the last segment of which something is durable, and at most that of the current segment. */
    private long lastDurable() {
        return Math.min(active.current().id(), durable.get().segmentId());
    }

    public long freedSegments() {
        return freed.get();
    }

    /** A table that needs the segment {@link #firstNeededSegment}. -1 if no table needs a full segment. */
    public int holder(IntToLongFunction heldLsn) {
        lock.lock();
        try {
            ActiveSegment first = active.firstNeeded(lastDurable(), heldLsn);
            return first.id() >= lastDurable() ? -1 : first.holder(heldLsn);
        } finally {
            lock.unlock();
        }
    }

    public long fullBytes() {
        lock.lock();
        try {
            return active.files().bytes() - active.current().bytes();
        } finally {
            lock.unlock();
        }
    }

    /** All files of the log. Files move between the pool and the active segments under the lock, so each file counts once. */
    LogFiles files() {
        lock.lock();
        try {
            return active.files().plus(pool.files());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Hands out the operations of a table in the full segments that are durable. The caller sees to it that none of these
     * segments is freed meanwhile.
     *
     * @param above no operation up to this lsn is handed out
     * @return the lsn of the last operation that was handed out, or {@code above}
     */
    public long copy(int tableId, long above, LogReplay receiver) throws IOException {
        List<ActiveSegment> full;
        lock.lock();
        try {
            full = active.below(lastDurable());
        } finally {
            lock.unlock();
        }
        long[] last = {above};
        for (ActiveSegment segment : full) {
            for (Gaps.Span span : segment.filled()) {
                copy(segment, span, tableId, above, (lsn, operation) -> {
                    receiver.apply(lsn, operation);
                    last[0] = lsn;
                });
            }
        }
        return last[0];
    }

    private void copy(ActiveSegment segment, Gaps.Span span, int tableId, long above, LogReplay receiver)
            throws IOException {
        try (FrameScanner scanner =
                new FrameScanner(config.storage().openReadOnly(segment.path()), segment.id(), span.from(), span.to())) {
            while (scanner.next()) {
                FrameHeader frame = scanner.frame();
                boolean mayBeOwn = frame.kind == LogFormat.BATCH || frame.tableId == tableId;
                if (mayBeOwn && scanner.isRecord() && frame.lsn > above) {
                    List<TableMutations> own = scanner.operation("").stream()
                            .filter(table -> table.tableId() == tableId)
                            .toList();
                    if (!own.isEmpty()) {
                        receiver.apply(frame.lsn, own);
                    }
                }
            }
            if (scanner.position() != span.to()) {
                throw new CorruptionException(segment.path(), scanner.position(), "a record of the log is damaged");
            }
        }
    }

    long limitBytes() {
        return config.limitBytes();
    }
}
