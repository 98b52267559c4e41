package io.kvstore.value;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides which value segments are emptied, so that space comes back: the values of such a segment that are still pointed to
 * are moved, and when none is left the file goes. A pure function of sizes.
 *
 * <p>The dead bytes of a table, as far as they are known, stay below {@link #maxDeadShare} of the live ones, plus half a
 * segment. All dead bytes, known or not, are to stay below a half of the live ones and a segment: who learns late what is dead
 * keeps away from that. The more of a segment is dead, the less has to be moved for each byte that is won, so the others go
 * nearly up to it.
 */
public final class ValueGarbage {

    /** Segments below this part of the usual size are merged. */
    private static final int SMALL_PART = 4;

    private static final int FEWEST_SMALL = 4;

    /** Of the live bytes, so much may be dead at most, known or not; and a segment. */
    private static final double ALL_DEAD_SHARE = 0.5;

    /** A part of a segment that is worth emptying when all space is wanted back. */
    private static final double WORTHWHILE_SHARE = 0.1;

    /** What is dead in every segment, and a little more. */
    private static final int HEADER_BYTES = 64;

    private final long segmentBytes;
    private final double maxDeadShare;
    private final double wantedDeadShare;

    private ValueGarbage(long segmentBytes, double maxDeadShare, double wantedDeadShare) {
        this.segmentBytes = segmentBytes;
        this.maxDeadShare = maxDeadShare;
        this.wantedDeadShare = wantedDeadShare;
    }

    /**
     * For a table that knows what is dead as soon as it is.
     *
     * @param segmentBytes the usual size of a segment
     */
    public static ValueGarbage knownAtOnce(long segmentBytes) {
        return new ValueGarbage(segmentBytes, 0.47, 0.45);
    }

    /**
     * For a table that learns later, by compactions, what is dead.
     *
     * @param segmentBytes the usual size of a segment
     */
    public static ValueGarbage knownLate(long segmentBytes) {
        return new ValueGarbage(segmentBytes, 0.35, 0.25);
    }

    /** Dead bytes in relation to live ones above which segments are emptied. */
    public double maxDeadShare() {
        return maxDeadShare;
    }

    /** Whether more is dead than may be. */
    public boolean isTooMuch(long deadBytes, long liveBytes) {
        return deadBytes > maxDeadShare * liveBytes + segmentBytes / 2.0;
    }

    /** Whether so much may be dead without its being known that, with what is known, more than there may be could be dead. */
    public boolean mayHideTooMuch(long hiddenBytes, long liveBytes) {
        return hiddenBytes > (ALL_DEAD_SHARE - maxDeadShare) * liveBytes + segmentBytes / 2.0;
    }

    /** The segments that are due to be emptied: those with the most dead bytes for each live one, until enough is won. */
    public Set<Long> due(List<ValueSegmentUse> segments) {
        long live = 0;
        long dead = 0;
        for (ValueSegmentUse segment : segments) {
            live += segment.liveBytes();
            dead += segment.deadBytes();
        }
        Set<Long> result = new HashSet<>();
        if (!isTooMuch(dead, live)) {
            return result;
        }
        List<ValueSegmentUse> emptiest = segments.stream()
                .sorted(Comparator.comparingDouble(
                        segment -> (double) segment.liveBytes() / segment.info().bytes()))
                .toList();
        for (ValueSegmentUse segment : emptiest) {
            if (dead > wantedDeadShare * live + segmentBytes / 4.0) {
                result.add(segment.number());
                dead -= segment.deadBytes();
            }
        }
        return result;
    }

    /** The segments that are worth emptying when all space is wanted back. */
    public Set<Long> worthwhile(List<ValueSegmentUse> segments) {
        Set<Long> result = new HashSet<>();
        for (ValueSegmentUse segment : segments) {
            double worthwhile = WORTHWHILE_SHARE * segment.info().bytes() + HEADER_BYTES;
            if ((double) segment.deadBytes() > worthwhile) {
                result.add(segment.number());
            }
        }
        return result;
    }

    /**
     * Small segments that are worth making into one. A segment joins only if it is not larger than twice those before it, so
     * that a value moves a logarithmic number of times.
     *
     * @param among the segments that may be chosen
     */
    public Set<Long> small(List<ValueSegmentUse> segments, Set<Long> among) {
        List<ValueSegmentUse> bySize = segments.stream()
                .filter(segment -> segment.info().bytes() < segmentBytes / SMALL_PART)
                .filter(segment -> among.contains(segment.number()))
                .sorted(Comparator.comparingLong(segment -> segment.info().bytes()))
                .toList();
        Set<Long> result = new HashSet<>();
        long bytes = 0;
        for (ValueSegmentUse segment : bySize) {
            if (bytes > 0 && segment.info().bytes() > 2 * bytes) {
                break;
            }
            result.add(segment.number());
            bytes += segment.info().bytes();
        }
        return result.size() < FEWEST_SMALL ? Set.of() : result;
    }
}
