package io.kvstore.wal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;

/** The segments that hold records, oldest first; the last one is written. Guarded by the log's lock. */
final class ActiveSegments {

    private final ArrayDeque<ActiveSegment> all;
    private long bytes;

    ActiveSegments(List<ActiveSegment> recovered) {
        this.all = new ArrayDeque<>(recovered);
        this.bytes = all.stream().mapToLong(ActiveSegment::bytes).sum();
    }

    ActiveSegment current() {
        return all.getLast();
    }

    /** Goes on in another segment; the one before ends at an offset. */
    void moveTo(LogSegment next, long end) {
        current().fill(List.of(new Gaps.Span(LogFormat.SEGMENT_HEADER_BYTES, end)));
        all.add(new ActiveSegment(next.id(), next.path(), next.capacity()));
        bytes += next.capacity();
    }

    LogFiles files() {
        return new LogFiles(all.size(), bytes);
    }

    /** The first segment that somebody needs, at most {@code last}. */
    ActiveSegment firstNeeded(long last, IntToLongFunction heldLsn) {
        for (ActiveSegment segment : all) {
            if (segment.id() >= last || !segment.isFree(heldLsn)) {
                return segment;
            }
        }
        throw new IllegalStateException("a log has a current segment");
    }

    /** Those before a segment that may go, which stay here until {@link #remove}. */
    List<ActiveSegment> before(long segmentId, Predicate<ActiveSegment> mayGo) {
        List<ActiveSegment> result = new ArrayList<>();
        for (ActiveSegment segment : all) {
            if (segment.id() == segmentId || !mayGo.test(segment)) {
                break;
            }
            result.add(segment);
        }
        return result;
    }

    /** Takes the oldest ones out. */
    void remove(List<ActiveSegment> oldest) {
        oldest.forEach(segment -> {
            all.removeFirst();
            bytes -= segment.bytes();
        });
    }

    /** Those with an id below one, all of them full. */
    List<ActiveSegment> below(long segmentId) {
        return all.stream().filter(segment -> segment.id() < segmentId).toList();
    }
}
