package io.kvstore.lsm.compaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.version.LiveSegments;
import io.kvstore.lsm.version.TableFile;
import io.kvstore.lsm.version.Version;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.policy.ClusteringPolicy;
import io.kvstore.value.policy.ValueGarbage;
import io.kvstore.value.segment.ValueSegmentUse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Chooses value segments to be emptied where scans read values from scattered places. A compaction that moves values writes
 * them in the order of their keys. Until then values lie in the order in which they were put.
 *
 * <p>{@link ClusteringPolicy} says which segments are worth it. Chosen segments are emptied in runs. A run is as long as
 * the bound of {@link ValueGarbage} allows, because its segments go only when the last SSTable points elsewhere.
 */
final class Clustering {

    private static final int PATIENCE_IN_ORDER = 8;

    private final ClusteringPolicy policy = new ClusteringPolicy(PATIENCE_IN_ORDER);
    private final long segmentBytes;
    private final ValueGarbage garbage;
    private final Damage damage;

    /** Segments to be put in order after the current run. */
    @GuardedBy("this")
    private final TreeSet<Long> pending = new TreeSet<>();

    @GuardedBy("this")
    private final Set<Long> run = new HashSet<>();

    Clustering(long segmentBytes, ValueGarbage garbage, Damage damage) {
        this.segmentBytes = segmentBytes;
        this.garbage = garbage;
        this.damage = damage;
    }

    synchronized Set<Long> due(Version version) {
        LiveSegments values = version.values();
        run.removeIf(number -> isOver(values, number));
        if (run.isEmpty()) {
            pending.removeIf(number -> isOver(values, number));
            if (pending.isEmpty()) {
                addScattered(version);
            }
            beginRun(values.uses());
        }
        return Set.copyOf(run);
    }

    private boolean isOver(LiveSegments values, long number) {
        return !values.has(number) || damage.isIn(number);
    }

    @GuardedBy("this")
    private void addScattered(Version version) {
        Set<Long> scattered = new HashSet<>();
        long waited = 0;
        for (StoredSegment segment : version.values().segments()) {
            if (isScattered(segment) && !damage.isIn(segment.number())) {
                scattered.add(segment.number());
                waited += segment.scattered();
            }
        }
        if (waited > 0 && waited >= entriesBeside(version, scattered) / LsmOptions.SCATTERED_PART) {
            pending.addAll(scattered);
        }
    }

    private boolean isScattered(StoredSegment segment) {
        return policy.isWaitedFor(segment.scattered(), (double) segment.info().records(), segment.isInOrder());
    }

    /** The number of entries of the SSTables that point into the segments. */
    private static long entriesBeside(Version version, Set<Long> segments) {
        long entries = 0;
        for (List<TableFile> level : version.levels().files()) {
            for (TableFile file : level) {
                entries += file.bytesIn(segments) > 0 ? file.info().entries() : 0;
            }
        }
        return entries;
    }

    @GuardedBy("this")
    private void beginRun(List<ValueSegmentUse> segments) {
        double room = 0;
        for (ValueSegmentUse segment : segments) {
            room += garbage.maxDeadShare() * segment.liveBytes() - segment.deadBytes();
        }
        List<ValueSegmentUse> chosen = new ArrayList<>();
        for (ValueSegmentUse segment : segments) {
            if (pending.contains(segment.number())) {
                chosen.add(segment);
            }
        }
        if (!chosen.isEmpty()) {
            run.addAll(ClusteringPolicy.runs(chosen, room, segmentBytes).getFirst());
            pending.removeAll(run);
        }
    }

    /** Makes all segments due whose values are not known to be in order. */
    synchronized void wantAll(LiveSegments values) {
        for (StoredSegment segment : values.segments()) {
            if (!segment.isInOrder()) {
                pending.add(segment.number());
            }
        }
    }

    /** Gives up the segments that are due. Before the next attempt scans have to wait as often again. */
    synchronized void giveUp(LiveSegments values) {
        pending.clear();
        run.clear();
        values.segments().forEach(StoredSegment::forgetScattered);
    }
}
