package io.kvstore.value.policy;

import io.kvstore.value.segment.ValueSegmentUse;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides which value segments are emptied, so that their space comes back. The live values of such a segment are moved. When
 * none is left, the file is deleted. The decision depends on sizes only.
 *
 * <p>The known dead bytes of a table stay below {@link #maxDeadShare} of the live bytes plus half a segment. All dead bytes,
 * known or not, are to stay below half of the live bytes plus one segment. A table that learns late which bytes are dead keeps
 * a distance from that limit. A table that knows at once goes nearly up to it: the larger the dead part of a segment, the
 * fewer bytes have to be moved for each byte that is freed.
 */
public final class ValueGarbage {

    /** By the bytes that have to be moved for the space won. */
    public static final Comparator<ValueSegmentUse> EMPTIEST_FIRST = Comparator.comparingDouble(
            segment -> (double) segment.liveBytes() / segment.info().bytes());

    /** Segments shorter than this part of the usual size are merged. */
    private static final int SMALL_PART = 4;

    private static final int FEWEST_SMALL = 4;

    /** The limit for all dead bytes, known or not, is this share of the live bytes plus one segment. */
    private static final double ALL_DEAD_SHARE = 0.5;

    /** The dead share above which a segment is worth emptying when all space is wanted back. */
    private static final double WORTHWHILE_SHARE = 0.1;

    /** A little more than the header, which is dead in every segment. */
    private static final int HEADER_BYTES = 64;

    private final long segmentBytes;
    private final double maxDeadShare;
    private final double wantedDeadShare;

    private ValueGarbage(long segmentBytes, double maxDeadShare, double wantedDeadShare) {
        this.segmentBytes = segmentBytes;
        this.maxDeadShare = maxDeadShare;
        this.wantedDeadShare = wantedDeadShare;
    }

    /** For a table that knows at once which bytes are dead, with segments of that usual size. */
    public static ValueGarbage knownAtOnce(long segmentBytes) {
        return new ValueGarbage(segmentBytes, 0.47, 0.45);
    }

    /** For a table that learns later, by compactions, which bytes are dead, with segments of that usual size. */
    public static ValueGarbage knownLate(long segmentBytes) {
        return new ValueGarbage(segmentBytes, 0.35, 0.25);
    }

    /** The ratio of dead to live bytes above which segments are emptied. */
    public double maxDeadShare() {
        return maxDeadShare;
    }

    /** Whether the known dead bytes exceed the limit. */
    public boolean isTooMuch(long deadBytes, long liveBytes) {
        return deadBytes > maxDeadShare * liveBytes + segmentBytes / 2.0;
    }

    /** Whether uncounted dead bytes could push the garbage above the limit. */
    public boolean mayHideTooMuch(long hiddenBytes, long liveBytes) {
        return hiddenBytes > (ALL_DEAD_SHARE - maxDeadShare) * liveBytes + segmentBytes / 2.0;
    }

    /**
     * The segments that a relocation empties, by their numbers.
     *
     * @param all whether every segment that is worth it, and not only those that are due
     */
    public Set<Long> chosen(List<ValueSegmentUse> segments, boolean all) {
        Set<Long> numbers = segments.stream().map(ValueSegmentUse::number).collect(Collectors.toSet());
        Set<Long> chosen = new HashSet<>(all ? worthwhile(segments) : due(segments));
        chosen.addAll(small(segments, numbers));
        return chosen;
    }

    /** Whether segments other than those that were tried have too many dead bytes, because values died meanwhile. */
    public boolean isMoreDue(List<ValueSegmentUse> segments, Set<Long> tried, long liveBytes) {
        long dead = segments.stream()
                .filter(segment -> !tried.contains(segment.number()))
                .mapToLong(ValueSegmentUse::deadBytes)
                .sum();
        return isTooMuch(dead, liveBytes);
    }

    /** The segments that are due to be emptied: those with the smallest live share first, until few enough bytes are dead. */
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
        List<ValueSegmentUse> emptiest =
                segments.stream().sorted(EMPTIEST_FIRST).toList();
        for (ValueSegmentUse segment : emptiest) {
            if (dead > wantedDeadShare * live + segmentBytes / 4.0) {
                result.add(segment.number());
                dead -= segment.deadBytes();
            }
        }
        return result;
    }

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
     * Small segments that are worth merging into one. A segment joins only if it is at most twice as long as all segments
     * before it together, in ascending order of length, so that a value moves a logarithmic number of times.
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
