package io.kvstore.lsm;

import io.kvstore.lsm.ValueFiles.Segment;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.sstable.ValueReferences;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which value segments are emptied, so that space comes back: compactions move the values of such a segment that are
 * still pointed to, and when none is left the file goes. A pure function of sizes.
 *
 * <p>The dead bytes of a table stay below {@link #MAX_DEAD_SHARE} of the live ones, plus half a segment. What is known to be
 * dead is what no SSTable points to; a value that was overwritten is found dead when a compaction meets both versions.
 */
final class ValueGarbage {

    /** Dead bytes in relation to live ones above which segments are emptied. */
    static final double MAX_DEAD_SHARE = 0.35;

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
    ValueGarbage(long segmentBytes) {
        this.segmentBytes = segmentBytes;
    }

    /** The segments that are due to be emptied: those with the most dead bytes for each live one, until enough is won. */
    Set<Long> due(List<Segment> segments) {
        double live = 0;
        double dead = 0;
        for (Segment segment : segments) {
            live += segment.liveBytes();
            dead += segment.deadBytes();
        }
        Set<Long> result = new HashSet<>();
        if (dead <= MAX_DEAD_SHARE * live + segmentBytes / 2.0) {
            return result;
        }
        List<Segment> emptiest = segments.stream()
                .sorted(Comparator.comparingDouble(
                        segment -> (double) segment.liveBytes() / segment.info().bytes()))
                .toList();
        for (Segment segment : emptiest) {
            if (dead > WANTED_DEAD_SHARE * live + segmentBytes / 4.0) {
                result.add(segment.number());
                dead -= segment.deadBytes();
            }
        }
        return result;
    }

    /** The segments that are worth emptying when all space is wanted back. */
    Set<Long> worthwhile(List<Segment> segments) {
        Set<Long> result = new HashSet<>();
        for (Segment segment : segments) {
            double worthwhile = WORTHWHILE_SHARE * segment.info().bytes() + HEADER_BYTES;
            if ((double) segment.deadBytes() > worthwhile) {
                result.add(segment.number());
            }
        }
        return result;
    }

    /**
     * Small segments that a compaction from level 0 makes into one, as many small flushes leave many. A segment joins only if
     * it is not larger than twice those before it, so that a value moves a logarithmic number of times.
     *
     * @param referred the segments that the compaction meets pointers into
     */
    Set<Long> small(List<Segment> segments, Set<Long> referred) {
        List<Segment> bySize = segments.stream()
                .filter(segment -> segment.info().bytes() < segmentBytes / SMALL_PART)
                .filter(segment -> referred.contains(segment.number()))
                .sorted(Comparator.comparingLong(segment -> segment.info().bytes()))
                .toList();
        Set<Long> result = new HashSet<>();
        long bytes = 0;
        for (Segment segment : bySize) {
            if (bytes > 0 && segment.info().bytes() > 2 * bytes) {
                break;
            }
            result.add(segment.number());
            bytes += segment.info().bytes();
        }
        return result.size() < FEWEST_SMALL ? Set.of() : result;
    }

    /** The segments that SSTables point into. */
    static Set<Long> referredBy(List<TableFile> files) {
        Set<Long> result = new HashSet<>();
        for (TableFile file : files) {
            ValueReferences references = file.table().references();
            for (int i = 0; i < references.size(); i++) {
                result.add(references.segment(i));
            }
        }
        return result;
    }

    /** Whether an SSTable points into one of the segments. */
    static boolean refers(TableFile file, Set<Long> segments) {
        return !segments.isEmpty() && bytesIn(file, segments) > 0;
    }

    private static long bytesIn(TableFile file, Set<Long> segments) {
        ValueReferences references = file.table().references();
        long bytes = 0;
        for (int i = 0; i < references.size(); i++) {
            bytes += segments.contains(references.segment(i)) ? references.bytes(i) : 0;
        }
        return bytes;
    }

    /**
     * The compaction that moves the most values out of the segments, or null if no SSTable points into them. A file is written
     * anew in its level, but for level 0, whose files have to stay in the order of their numbers: it is compacted as a whole.
     */
    static CompactionPicker.@Nullable Choice pick(
            CompactionPicker picker, List<List<TableFile>> levels, Set<Long> segments) {
        CompactionPicker.Choice best = null;
        long most = 0;
        for (int level = 1; level < levels.size(); level++) {
            for (TableFile file : levels.get(level)) {
                long bytes = segments.isEmpty() ? 0 : bytesIn(file, segments);
                if (bytes > most) {
                    best = new CompactionPicker.Choice(level, level, List.of(file.info()), List.of());
                    most = bytes;
                }
            }
        }
        if (best == null && levels.get(0).stream().anyMatch(file -> refers(file, segments))) {
            return picker.of(infos(levels), 0);
        }
        return best;
    }

    private static List<List<SsTableInfo>> infos(List<List<TableFile>> levels) {
        return levels.stream()
                .map(level -> level.stream().map(TableFile::info).toList())
                .toList();
    }
}
