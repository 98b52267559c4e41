package io.kvstore.value.policy;

import io.kvstore.value.segment.ValueSegmentUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides which segments are worth writing once more in the order of their keys, so that scans find neighbouring values next to
 * each other, and how many of them at a time. How values are moved is the engine's business.
 *
 * <p>To write a value once more costs about as much as two or three reads that have to wait for memory. So a segment is worth
 * it after scans have waited once for each of its values. A segment that is in order already is read scattered where much of it
 * is dead, or where it is one of many. To write it anew may not help, so scans have to wait several times as often for it.
 *
 * <p>Segments are written in runs, because the old segments go only after the whole run. A run has as many segments as there is
 * room for. So a table ends as three or four runs, which is nearly as good for a scan as one.
 *
 * @param patienceInOrder scans have to wait this many times for each value of a segment that is in order
 */
public record ClusteringPolicy(int patienceInOrder) {

    private static final int LEAST_RUN_SEGMENTS = 2;

    /**
     * Whether scans waited often enough for the values of a segment.
     *
     * @param waits how often they did, roughly
     * @param values how many values of the segment they may read
     */
    public boolean isWaitedFor(long waits, double values, boolean isInOrder) {
        return waits > (isInOrder ? patienceInOrder : 1) * values;
    }

    /** The fewest bytes that a run may write, however little room there is. */
    public static double leastRunBytes(long segmentBytes) {
        return (double) LEAST_RUN_SEGMENTS * segmentBytes;
    }

    /**
     * Divides segments into runs, in ascending order of their numbers, which is about the order in which they were filled. Each
     * run has at least one segment.
     *
     * @param roomBytes the most live bytes of a run with more than one segment, if that is more than {@link #leastRunBytes}
     */
    public static List<Set<Long>> runs(List<ValueSegmentUse> chosen, double roomBytes, long segmentBytes) {
        double runBytes = Math.max(roomBytes, leastRunBytes(segmentBytes));
        List<Set<Long>> runs = new ArrayList<>();
        double used = runBytes;
        for (ValueSegmentUse segment : chosen.stream()
                .sorted(Comparator.comparingLong(ValueSegmentUse::number))
                .toList()) {
            if (used + segment.liveBytes() > runBytes) {
                runs.add(new HashSet<>());
                used = 0;
            }
            runs.getLast().add(segment.number());
            used += segment.liveBytes();
        }
        return runs;
    }
}
