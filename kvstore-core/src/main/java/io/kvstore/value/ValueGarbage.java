package io.kvstore.value;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides which value segments are emptied, so that space comes back: the values of such a segment that are still pointed to
 * are moved, and when none is left the file goes. A pure function of sizes.
 *
 * <p>The dead bytes of a table, as far as they are known, stay below {@link #MAX_DEAD_SHARE} of the live ones, plus half a
 * segment.
 */
public final class ValueGarbage {

    /** Dead bytes in relation to live ones above which segments are emptied. */
    public static final double MAX_DEAD_SHARE = 0.35;

    private static final double WANTED_DEAD_SHARE = 0.25;

    /** Segments below this part of the usual size are merged. */
    private static final int SMALL_PART = 4;

    private static final int FEWEST_SMALL = 4;

    /** A part of a segment that is worth emptying when all space is wanted back. */
    private static final double WORTHWHILE_SHARE = 0.1;

    /** What is dead in every segment, and a little more. */
    private static final int HEADER_BYTES = 64;

    private final long segmentBytes;

    /** @param segmentBytes the usual size of a segment */
    public ValueGarbage(long segmentBytes) {
        this.segmentBytes = segmentBytes;
    }

    /** The segments that are due to be emptied: those with the most dead bytes for each live one, until enough is won. */
    public Set<Long> due(List<ValueSegmentUse> segments) {
        double live = 0;
        double dead = 0;
        for (ValueSegmentUse segment : segments) {
            live += segment.liveBytes();
            dead += segment.deadBytes();
        }
        Set<Long> result = new HashSet<>();
        if (dead <= MAX_DEAD_SHARE * live + segmentBytes / 2.0) {
            return result;
        }
        List<ValueSegmentUse> emptiest = segments.stream()
                .sorted(Comparator.comparingDouble(
                        segment -> (double) segment.liveBytes() / segment.info().bytes()))
                .toList();
        for (ValueSegmentUse segment : emptiest) {
            if (dead > WANTED_DEAD_SHARE * live + segmentBytes / 4.0) {
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
