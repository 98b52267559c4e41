package io.kvstore.lsm.compaction;

import io.kvstore.lsm.sstable.ValueReferences;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.TableFile;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the SSTables that point into value segments which are to be emptied. Compacting such an SSTable moves the values.
 */
final class ValueRewrites {

    private ValueRewrites() {}

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
     * Returns the compaction that moves the most values out of the segments, or null if no SSTable points into them. A file
     * of a deeper level is written anew in its level. Level 0 is compacted as a whole, and only if no deeper file points
     * into the segments.
     */
    static CompactionPicker.@Nullable Choice pick(
            CompactionPicker picker, Levels levels, Set<Long> segments, Damage damage) {
        CompactionPicker.Choice best = null;
        long most = 0;
        List<List<TableFile>> files = levels.files();
        for (int level = 1; level < files.size(); level++) {
            for (TableFile file : files.get(level)) {
                boolean isLeft = segments.isEmpty() || damage.isIn(file.info().number());
                long bytes = isLeft ? 0 : bytesIn(file, segments);
                if (bytes > most) {
                    best = new CompactionPicker.Choice(level, level, List.of(file.info()), List.of());
                    most = bytes;
                }
            }
        }
        if (best == null && files.getFirst().stream().anyMatch(file -> refers(file, segments))) {
            return picker.of(levels.infos(), 0);
        }
        return best;
    }

    /** Lower bound on the live bytes of values. Assumes that every entry of level 0 shadows one below. */
    static long leastLiveBytes(List<List<TableFile>> levels) {
        long deeper = 0;
        for (List<TableFile> level : levels.subList(1, levels.size())) {
            deeper += level.stream().mapToLong(TableFile::valueBytes).sum();
        }
        long largest = levels.getFirst().stream()
                .mapToLong(TableFile::valueBytes)
                .max()
                .orElse(0);
        return Math.max(deeper, largest);
    }
}
