package io.kvstore.lsm;

import io.kvstore.data.KeyOrder;
import io.kvstore.lsm.sstable.SsTableInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what is compacted next; a pure function of the files. Leveled compaction after LevelDB: level 0 is due by the
 * number of its files, a deeper level by its bytes, the one most beyond its target first. From level 0 all files are taken,
 * from a deeper level the one whose overlap with the next level is the smallest share of it. When no level is too large, those
 * with many tombstones are due.
 */
final class CompactionPicker {

    /** Removals are due when they may be more than this part of what is there. */
    private static final int REMOVED_PART = 4;

    private final LsmOptions options;

    CompactionPicker(LsmOptions options) {
        this.options = options;
    }

    /**
     * What to compact.
     *
     * @param level where {@code upper} is
     * @param outputLevel where the result goes
     * @param upper the newer files
     * @param lower all files of the output level that overlap them
     */
    record Choice(int level, int outputLevel, List<SsTableInfo> upper, List<SsTableInfo> lower) {

        /** Whether the files can go to the output level as they are. */
        boolean isMove() {
            if (!lower.isEmpty() || level == outputLevel) {
                return false;
            }
            for (int i = 0; i < upper.size(); i++) {
                if (upper.get(i).tombstones() > 0) {
                    return false;
                }
                for (int j = 0; j < i; j++) {
                    if (upper.get(i).overlaps(upper.get(j))) {
                        return false;
                    }
                }
            }
            return true;
        }

        /** Bytes to be read. */
        long bytes() {
            return bytesOf(upper) + bytesOf(lower);
        }
    }

    /** The compaction that is due most, or null if none is. */
    @Nullable
    Choice pick(List<List<SsTableInfo>> levels) {
        int due = -1;
        double most = 1;
        for (int level = 0; level < levels.size() - 1; level++) {
            double share = level == 0
                    ? (double) levels.get(0).size() / options.level0Trigger()
                    : (double) bytesOf(levels.get(level)) / options.levelBytes(level);
            if (share >= most && !levels.get(level).isEmpty() && (level == 0 || share > most)) {
                due = level;
                most = share;
            }
        }
        return due < 0 ? ofRemovals(levels) : of(levels, due);
    }

    /** A removal brings no space back before it meets what it removes, so many of them go down however few bytes they are. */
    private static @Nullable Choice ofRemovals(List<List<SsTableInfo>> levels) {
        long deeper = 0;
        for (int level = levels.size() - 1; level > 0; level--) {
            List<SsTableInfo> files = levels.get(level);
            if (deeper > 0 && tombstonesOf(files) > deeper / REMOVED_PART) {
                List<SsTableInfo> most = List.of(files.stream()
                        .max(Comparator.comparingLong(SsTableInfo::tombstones))
                        .orElseThrow());
                return new Choice(level, level + 1, most, overlapping(levels.get(level + 1), most));
            }
            deeper += entriesOf(files);
        }
        List<SsTableInfo> newest = levels.getFirst();
        long tombstones = tombstonesOf(newest);
        boolean isDue = tombstones > 0 && tombstones > (deeper + entriesOf(newest) - tombstones) / REMOVED_PART;
        return isDue ? new Choice(0, 1, newest, overlapping(levels.get(1), newest)) : null;
    }

    private static long tombstonesOf(List<SsTableInfo> files) {
        return files.stream().mapToLong(SsTableInfo::tombstones).sum();
    }

    private static long entriesOf(List<SsTableInfo> files) {
        return files.stream().mapToLong(SsTableInfo::entries).sum();
    }

    /** The compaction that brings {@code level} one step towards having no files, which it has now. */
    Choice of(List<List<SsTableInfo>> levels, int level) {
        List<SsTableInfo> next = levels.get(level + 1);
        if (level == 0) {
            List<SsTableInfo> upper = levels.get(0);
            return new Choice(0, 1, upper, overlapping(next, upper));
        }
        SsTableInfo best = levels.get(level).getFirst();
        double least = Double.MAX_VALUE;
        for (SsTableInfo file : levels.get(level)) {
            double share = (double) bytesOf(overlapping(next, List.of(file))) / file.bytes();
            if (share < least) {
                best = file;
                least = share;
            }
        }
        return new Choice(level, level + 1, List.of(best), overlapping(next, List.of(best)));
    }

    /**
     * The next compaction on the way to one level without tombstones, or null when there is no more to do.
     *
     * @param done numbers up to which files of the last level were written by this walk or looked at
     */
    @Nullable
    Choice pickFull(List<List<SsTableInfo>> levels, long done) {
        int last = levels.size() - 1;
        while (last > 1 && levels.get(last).isEmpty()) {
            last--;
        }
        for (int level = 0; level < last; level++) {
            if (!levels.get(level).isEmpty()) {
                return of(levels, level);
            }
        }
        for (SsTableInfo file : levels.get(last)) {
            if (file.tombstones() > 0 && file.number() <= done) {
                return new Choice(last, last, List.of(file), List.of());
            }
        }
        return null;
    }

    private static List<SsTableInfo> overlapping(List<SsTableInfo> files, List<SsTableInfo> upper) {
        byte[] min = upper.getFirst().minKey();
        byte[] max = upper.getFirst().maxKey();
        for (SsTableInfo file : upper) {
            min = KeyOrder.compare(file.minKey(), min) < 0 ? file.minKey() : min;
            max = KeyOrder.compare(file.maxKey(), max) > 0 ? file.maxKey() : max;
        }
        List<SsTableInfo> result = new ArrayList<>();
        for (SsTableInfo file : files) {
            if (KeyOrder.compare(file.minKey(), max) <= 0 && KeyOrder.compare(min, file.maxKey()) <= 0) {
                result.add(file);
            }
        }
        return result;
    }

    static long bytesOf(List<SsTableInfo> files) {
        return files.stream().mapToLong(SsTableInfo::bytes).sum();
    }
}
