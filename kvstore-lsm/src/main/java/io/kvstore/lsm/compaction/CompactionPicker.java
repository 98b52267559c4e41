package io.kvstore.lsm.compaction;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.Search;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.sstable.SsTableInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the next compaction, as a pure function of the files. Leveled compaction after LevelDB: level 0 is due by the number
 * of its files, a deeper level by its bytes, and the level most beyond its target comes first. From level 0 all files are
 * taken. From a deeper level the file is taken whose overlap with the next level is smallest in relation to the file. When no
 * level is too large, files with many tombstones are due.
 *
 * <p>A damaged file is in no choice, and neither are files that would have to be merged with it. If level 0 cannot go down for
 * that reason, files of level 0 are merged within the level, so that it does not grow without limit. Such a merge takes
 * adjacent files with no damaged one between them.
 *
 * <p>The files of levels from 1 on are in order, so overlapping files are found by binary search. A choice takes as long as a
 * walk over the files of two levels.
 */
final class CompactionPicker {

    private final Supplier<LsmOptions> options;
    private final LongPredicate isDamaged;

    /** @param isDamaged whether the file of a number is to be left alone */
    CompactionPicker(Supplier<LsmOptions> options, LongPredicate isDamaged) {
        this.options = options;
        this.isDamaged = isDamaged;
    }

    /**
     * The files of one compaction.
     *
     * @param level the level of {@code upper}
     * @param outputLevel the level of the new files
     * @param upper the newer files
     * @param lower all files of the output level that overlap them
     */
    public record Choice(int level, int outputLevel, List<SsTableInfo> upper, List<SsTableInfo> lower) {

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

        boolean has(long number) {
            return Stream.concat(upper.stream(), lower.stream()).anyMatch(file -> file.number() == number);
        }

        /** Bytes that the compaction reads. */
        public long bytes() {
            return bytesOf(upper) + bytesOf(lower);
        }
    }

    /** The compaction that is most due, or null. Level 0 is due when it has the given number of files. */
    @Nullable
    Choice pick(List<List<SsTableInfo>> levels, int level0Trigger) {
        List<Due> due = new ArrayList<>();
        for (int level = 0; level < levels.size() - 1; level++) {
            double share = level == 0
                    ? (double) levels.get(0).size() / level0Trigger
                    : (double) bytesOf(levels.get(level)) / options.get().levelBytes(level);
            if (!levels.get(level).isEmpty() && (level == 0 ? share >= 1 : share > 1)) {
                due.add(new Due(level, share));
            }
        }
        due.sort(Comparator.comparingDouble(Due::share).reversed());
        for (Due one : due) {
            Choice choice = of(levels, one.level(), level0Trigger);
            if (choice != null) {
                return choice;
            }
        }
        return ofRemovals(levels);
    }

    private record Due(int level, double share) {}

    /** Tombstones bring back no space before they meet the entries that they remove. So a large number of them goes down. */
    private @Nullable Choice ofRemovals(List<List<SsTableInfo>> levels) {
        long deeper = 0;
        for (int level = levels.size() - 1; level > 0; level--) {
            List<SsTableInfo> files = levels.get(level);
            if (deeper > 0 && tombstonesOf(files) > deeper / LsmOptions.REMOVED_PART) {
                Choice most = ofMostTombstones(levels, level);
                if (most != null) {
                    return most;
                }
            }
            deeper += entriesOf(files);
        }
        List<SsTableInfo> newest = levels.getFirst();
        long tombstones = tombstonesOf(newest);
        boolean isDue =
                tombstones > 0 && tombstones > (deeper + entriesOf(newest) - tombstones) / LsmOptions.REMOVED_PART;
        return isDue ? of(levels, 0) : null;
    }

    private @Nullable Choice ofMostTombstones(List<List<SsTableInfo>> levels, int level) {
        Choice best = null;
        long most = 0;
        for (SsTableInfo file : levels.get(level)) {
            if (file.tombstones() > most) {
                Choice choice = downFrom(levels, level, List.of(file));
                best = choice == null ? best : choice;
                most = choice == null ? most : file.tombstones();
            }
        }
        return best;
    }

    private static long tombstonesOf(List<SsTableInfo> files) {
        return files.stream().mapToLong(SsTableInfo::tombstones).sum();
    }

    private static long entriesOf(List<SsTableInfo> files) {
        return files.stream().mapToLong(SsTableInfo::entries).sum();
    }

    /** A step towards no files in {@code level}, which must have some now. Null if damage is in the way of every step. */
    @Nullable
    Choice of(List<List<SsTableInfo>> levels, int level) {
        return of(levels, level, 2);
    }

    /** @param leastMerged if level 0 cannot go down, at least this number of its files is merged within it */
    private @Nullable Choice of(List<List<SsTableInfo>> levels, int level, int leastMerged) {
        if (level == 0) {
            Choice down = downFrom(levels, 0, levels.getFirst());
            return down != null ? down : within(levels.getFirst(), leastMerged);
        }
        Choice best = null;
        double least = Double.MAX_VALUE;
        for (SsTableInfo file : levels.get(level)) {
            List<SsTableInfo> lower = overlapping(levels.get(level + 1), List.of(file));
            double share = (double) bytesOf(lower) / file.bytes();
            if (share < least && isWhole(List.of(file)) && isWhole(lower)) {
                best = new Choice(level, level + 1, List.of(file), lower);
                least = share;
            }
        }
        return best;
    }

    /** The files together with the files below that they overlap. Null if one of them is damaged. */
    private @Nullable Choice downFrom(List<List<SsTableInfo>> levels, int level, List<SsTableInfo> upper) {
        List<SsTableInfo> lower = overlapping(levels.get(level + 1), upper);
        return isWhole(upper) && isWhole(lower) ? new Choice(level, level + 1, upper, lower) : null;
    }

    private boolean isWhole(List<SsTableInfo> files) {
        return files.stream().noneMatch(file -> isDamaged.test(file.number()));
    }

    /** The longest row of adjacent undamaged files of level 0, or null if it has fewer than the wanted number. */
    private @Nullable Choice within(List<SsTableInfo> files, int least) {
        List<SsTableInfo> most = List.of();
        int start = 0;
        for (int end = 0; end <= files.size(); end++) {
            if (end == files.size() || isDamaged.test(files.get(end).number())) {
                most = end - start > most.size() ? files.subList(start, end) : most;
                start = end + 1;
            }
        }
        return most.size() >= Math.max(2, least) ? new Choice(0, 0, List.copyOf(most), List.of()) : null;
    }

    /** Whether level 0 is due and has at least half the number of files at which writes wait. */
    boolean isLevel0Urgent(List<List<SsTableInfo>> levels) {
        return levels.getFirst().size()
                >= Math.max(options.get().level0Trigger(), options.get().maxLevel0Files() / 2);
    }

    /**
     * Returns the next compaction on the way to one level without tombstones, or null when there is no more to do.
     *
     * @param done files of the last level with greater numbers stay as they are, because they were written after the walk began
     * @param lsn files that have only newer entries stay where they are
     */
    @Nullable
    Choice pickFull(List<List<SsTableInfo>> levels, long done, long lsn) {
        int last = levels.size() - 1;
        while (last > 1 && levels.get(last).isEmpty()) {
            last--;
        }
        for (int level = 0; level < last; level++) {
            Choice choice = ofOld(levels, level, lsn);
            if (choice != null) {
                return choice;
            }
        }
        for (SsTableInfo file : levels.get(last)) {
            if (file.tombstones() > 0 && file.number() <= done && !isDamaged.test(file.number())) {
                return new Choice(last, last, List.of(file), List.of());
            }
        }
        return null;
    }

    private @Nullable Choice ofOld(List<List<SsTableInfo>> levels, int level, long lsn) {
        List<SsTableInfo> old =
                levels.get(level).stream().filter(file -> file.minLsn() <= lsn).toList();
        if (old.isEmpty()) {
            return null;
        }
        List<List<SsTableInfo>> oldOnly = new ArrayList<>(levels);
        oldOnly.set(level, old);
        return of(oldOnly, level);
    }

    /** The files of a level from 1 on that overlap the range from the first to the last key of {@code upper}. */
    private static List<SsTableInfo> overlapping(List<SsTableInfo> files, List<SsTableInfo> upper) {
        byte[] min = upper.getFirst().minKey();
        byte[] max = upper.getFirst().maxKey();
        for (SsTableInfo file : upper) {
            min = KeyOrder.compare(file.minKey(), min) < 0 ? file.minKey() : min;
            max = KeyOrder.compare(file.maxKey(), max) > 0 ? file.maxKey() : max;
        }
        byte[] first = min;
        byte[] last = max;
        int from = Search.firstNot(
                0, files.size(), i -> KeyOrder.compare(files.get(i).maxKey(), first) < 0);
        int to = Search.firstNot(
                from, files.size(), i -> KeyOrder.compare(files.get(i).minKey(), last) <= 0);
        return from < to ? files.subList(from, to) : List.of();
    }

    static long bytesOf(List<SsTableInfo> files) {
        return files.stream().mapToLong(SsTableInfo::bytes).sum();
    }
}
