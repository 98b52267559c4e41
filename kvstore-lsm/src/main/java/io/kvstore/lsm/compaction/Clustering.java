package io.kvstore.lsm.compaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.version.TableFile;
import io.kvstore.lsm.version.ValueFile;
import io.kvstore.lsm.version.ValueFiles;
import io.kvstore.lsm.version.Version;
import io.kvstore.value.policy.ValueGarbage;
import io.kvstore.value.segment.ValueSegmentUse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Chooses value segments to be emptied where scans read values from scattered places. A compaction that moves values writes
 * them in the order of their keys. Until then values lie in the order in which they were put.
 *
 * <p>To write a value once more costs about as much as two or three reads that have to wait for memory. So a segment is
 * chosen after scans have waited once for each of its values. Chosen segments are emptied in runs. A run has as many
 * segments as there is room for under the bound of {@link ValueGarbage}, because the segments of a run go only when the
 * last SSTable points elsewhere. So a table ends as three or four runs, which is nearly as good for a scan as one.
 */
final class Clustering {

    private static final int LEAST_RUN_SEGMENTS = 2;

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

    /** Returns the segments that are to be emptied now. */
    synchronized Set<Long> due(Version version) {
        ValueFiles values = version.values();
        run.removeIf(number -> isOver(values, number));
        if (run.isEmpty()) {
            pending.removeIf(number -> isOver(values, number));
            if (pending.isEmpty()) {
                addScattered(version);
            }
            beginRun(values.segments());
        }
        return Set.copyOf(run);
    }

    private boolean isOver(ValueFiles values, long number) {
        return !values.has(number) || damage.isIn(number);
    }

    @GuardedBy("this")
    private void addScattered(Version version) {
        Set<Long> scattered = new HashSet<>();
        long waited = 0;
        for (ValueFile file : version.values().files()) {
            if (file.isScattered() && !damage.isIn(file.info().number())) {
                scattered.add(file.info().number());
                waited += file.scattered();
            }
        }
        if (waited > 0 && waited >= entriesBeside(version, scattered) / LsmOptions.SCATTERED_PART) {
            pending.addAll(scattered);
        }
    }

    /** The number of entries of the SSTables that point into the segments. */
    private static long entriesBeside(Version version, Set<Long> segments) {
        long entries = 0;
        for (List<TableFile> level : version.levels().files()) {
            for (TableFile file : level) {
                entries += ValueRewrites.refers(file, segments) ? file.info().entries() : 0;
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
        room = Math.max(room, (double) LEAST_RUN_SEGMENTS * segmentBytes);
        for (ValueSegmentUse segment : segments) {
            if (pending.contains(segment.number()) && (run.isEmpty() || room >= segment.liveBytes())) {
                pending.remove(segment.number());
                run.add(segment.number());
                room -= segment.liveBytes();
            }
        }
    }

    /** Makes all segments due whose values are not known to be in order. */
    synchronized void wantAll(ValueFiles values) {
        pending.addAll(numbers(values, file -> !file.isInOrder()));
    }

    /** Gives up the segments that are due. Before the next attempt scans have to wait as often again. */
    synchronized void giveUp(ValueFiles values) {
        pending.clear();
        run.clear();
        values.files().forEach(ValueFile::forgetScattered);
    }

    private static Set<Long> numbers(ValueFiles values, Predicate<ValueFile> chosen) {
        Set<Long> result = new HashSet<>();
        for (ValueFile file : values.files()) {
            if (chosen.test(file)) {
                result.add(file.info().number());
            }
        }
        return result;
    }
}
