package io.kvstore.wal.segment;

import io.kvstore.wal.format.LogFormat;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;

/** The segments that hold records, oldest first. The last segment is the one that is written. Guarded by the log's lock. */
public final class ActiveSegments {

    private final ArrayDeque<ActiveSegment> all;
    private long bytes;

    public ActiveSegments(List<ActiveSegment> recovered) {
        this.all = new ArrayDeque<>(recovered);
        this.bytes = all.stream().mapToLong(ActiveSegment::bytes).sum();
    }

    public ActiveSegment current() {
        return all.getLast();
    }

    public ActiveSegment oldest() {
        return all.getFirst();
    }

    /** The segments with an id of at least {@code segmentId}. */
    public List<ActiveSegment> from(long segmentId) {
        return all.stream().filter(segment -> segment.id() >= segmentId).toList();
    }

    /** Makes {@code next} the current segment. The segment before it is full and ends at the offset {@code end}. */
    public void moveTo(LogSegment next, long end) {
        current().fill(List.of(new Gaps.Span(LogFormat.SEGMENT_HEADER_BYTES, end)));
        all.add(new ActiveSegment(next.id(), next.path(), next.capacity()));
        bytes += next.capacity();
    }

    public LogFiles files() {
        return new LogFiles(all.size(), bytes);
    }

    /** The first segment that a table needs, or the first one from id {@code last} on if that comes earlier. */
    public ActiveSegment firstNeeded(long last, IntToLongFunction heldLsn) {
        for (ActiveSegment segment : all) {
            if (segment.id() >= last || segment.holder(heldLsn) >= 0) {
                return segment;
            }
        }
        throw new IllegalStateException("a log has a current segment");
    }

    /** The oldest segments that may go, up to {@code segmentId} or one that may not. They stay until {@link #removeOldest}. */
    public List<ActiveSegment> before(long segmentId, Predicate<ActiveSegment> mayGo) {
        List<ActiveSegment> result = new ArrayList<>();
        for (ActiveSegment segment : all) {
            if (segment.id() == segmentId || !mayGo.test(segment)) {
                break;
            }
            result.add(segment);
        }
        return result;
    }

    /** Removes the oldest segment, which is not the current one. Takes no memory. */
    public void removeOldest() {
        bytes -= all.removeFirst().bytes();
    }

    /** The segments with an id below {@code segmentId}. All of them are full. */
    public List<ActiveSegment> below(long segmentId) {
        return all.stream().filter(segment -> segment.id() < segmentId).toList();
    }
}
