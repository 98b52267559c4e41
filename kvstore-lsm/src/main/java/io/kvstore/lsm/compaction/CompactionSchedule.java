package io.kvstore.lsm.compaction;

import io.kvstore.engine.Snapshots;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.OpenViews;
import io.kvstore.lsm.version.SpaceDebt;
import io.kvstore.lsm.version.TableFile;
import io.kvstore.lsm.version.Version;
import io.kvstore.value.policy.ValueGarbage;
import io.kvstore.value.segment.ValueSegmentUse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says which compaction is next and which value segments it empties. Compactions that keep the levels in shape come first.
 * If none is due, a compaction brings back space or puts values in order. While writers wait for space, compactions that
 * bring it back come first. Only the thread that has the turn to compact asks. Writers do not, because the time that an
 * answer takes grows with the number of files.
 *
 * <p>Damaged segments are neither counted nor emptied. Their dead bytes stay until the last pointer into them is gone.
 */
public final class CompactionSchedule {

    /** A file is written anew when more than this part of it was kept for snapshots that are closed. */
    private static final int KEPT_PART = 4;

    private final CompactionPicker picker;
    private final ValueGarbage garbage;
    private final Clustering clustering;
    private final Damage damage;
    private final SpaceDebt debt;
    private final Snapshots snapshots;
    private final Supplier<LsmOptions> options;

    /** One compaction to be done. Values of the {@code emptied} segments move when the merge meets them. */
    public record Job(CompactionPicker.Choice choice, Set<Long> emptied) {

        private static @Nullable Job of(CompactionPicker.@Nullable Choice choice, Set<Long> emptied) {
            return choice == null ? null : new Job(choice, emptied);
        }
    }

    public CompactionSchedule(TableParts parts) {
        this.damage = parts.damage();
        this.debt = parts.debt();
        this.snapshots = parts.context().snapshots();
        this.options = parts.options();
        this.picker = new CompactionPicker(parts.options(), damage::isIn);
        this.garbage = ValueGarbage.knownLate(parts.options().get().segmentBytes());
        this.clustering = new Clustering(parts.options().get().segmentBytes(), garbage, damage);
    }

    /** The compaction that is due, or null. */
    public @Nullable Job due(Version version) {
        Levels levels = version.levels();
        debt.lookAtDisk(version);
        return debt.isTooMuch(version) ? bringingSpace(version, levels) : usual(version, levels);
    }

    private @Nullable Job usual(Version version, Levels levels) {
        Set<Long> emptied = withClustering(some(garbage.due(whole(version)), version), version);
        CompactionPicker.Choice choice = picker.pick(levels.infos(), level0Trigger(levels));
        boolean mayHide = version.isFlushed() && mayHideGarbage(levels);
        if (choice == null && (mayHide || debt.isHiddenTooMuch(levels.space()))) {
            choice = picker.of(levels.infos(), 0);
        }
        choice = choice == null ? move(levels, emptied) : choice;
        return Job.of(choice == null ? keptInVain(levels, KEPT_PART) : choice, emptied);
    }

    /** Writers wait for space. So the compaction that brings back most space is first, whatever the shape of the levels. */
    private @Nullable Job bringingSpace(Version version, Levels levels) {
        Set<Long> emptied = some(garbage.worthwhile(whole(version)), version);
        CompactionPicker.Choice choice =
                levels.space().hiddenBytes().getFirst() > 0 ? picker.of(levels.infos(), 0) : null;
        choice = choice == null ? move(levels, emptied) : choice;
        choice = choice == null ? keptInVain(levels, Integer.MAX_VALUE) : choice;
        choice = choice == null ? picker.pick(levels.infos(), level0Trigger(levels)) : choice;
        return Job.of(choice == null ? hidingMost(levels) : choice, emptied);
    }

    /** Small memtables make small files, so more files of level 0 are allowed. */
    private int level0Trigger(Levels levels) {
        return levels.values().segments().isEmpty()
                ? options.get().level0Trigger()
                : options.get().level0Trigger(levels.memTableApartBytes());
    }

    /** A step down from the level that hides most bytes below it, or null. */
    private CompactionPicker.@Nullable Choice hidingMost(Levels levels) {
        List<Long> hidden = levels.space().hiddenBytes();
        int best = 0;
        for (int level = 1; level < hidden.size() - 1; level++) {
            best = levels.fileCount(level + 1) > 0 && hidden.get(level) > hidden.get(best) ? level : best;
        }
        return best > 0 ? picker.of(levels.infos(), best) : null;
    }

    /** A compaction of the file with the most bytes kept in vain, if these are more than the given part of it, or null. */
    private CompactionPicker.@Nullable Choice keptInVain(Levels levels, int part) {
        TableFile most = null;
        int in = 0;
        long[] open = OpenViews.lsns(snapshots);
        for (int level = 0; level < LsmOptions.LEVELS; level++) {
            for (TableFile file : levels.files().get(level)) {
                boolean isDue = file.isKeptInVain(open) && file.keptBytes() > file.dataBytes() / part;
                if (isDue
                        && !damage.isIn(file.info().number())
                        && (most == null || file.keptBytes() > most.keptBytes())) {
                    most = file;
                    in = level;
                }
            }
        }
        if (most == null || in == 0) {
            return most == null ? null : picker.of(levels.infos(), 0);
        }
        return new CompactionPicker.Choice(in, in, List.of(most.info()), List.of());
    }

    /** The segments to be emptied that cost the fewest moved bytes for the space won, as many as may be moved at a time. */
    private Set<Long> some(Set<Long> segments, Version version) {
        List<ValueSegmentUse> emptiest = version.values().uses().stream()
                .filter(segment -> segments.contains(segment.number()))
                .sorted(ValueGarbage.EMPTIEST_FIRST)
                .toList();
        Set<Long> result = new HashSet<>();
        long room = debt.movableBytes(version.levels().space());
        for (ValueSegmentUse segment : emptiest) {
            boolean isFirst =
                    result.isEmpty() && debt.mayMoveMore(version.levels().space());
            if (isFirst || segment.liveBytes() <= room) {
                result.add(segment.number());
                room -= segment.liveBytes();
            }
        }
        return result;
    }

    /**
     * The compaction that moves the most values out of the segments, or null if no SSTable points into them. A file of a deeper
     * level is written anew in its level. Level 0 is compacted as a whole, and only if no deeper file points into the segments.
     */
    private CompactionPicker.@Nullable Choice move(Levels levels, Set<Long> emptied) {
        CompactionPicker.Choice best = null;
        long most = 0;
        List<List<TableFile>> files = levels.files();
        for (int level = 1; level < files.size(); level++) {
            for (TableFile file : files.get(level)) {
                long bytes = damage.isIn(file.info().number()) ? 0 : file.bytesIn(emptied);
                if (bytes > most) {
                    best = new CompactionPicker.Choice(level, level, List.of(file.info()), List.of());
                    most = bytes;
                }
            }
        }
        boolean isInLevel0 = best == null && files.getFirst().stream().anyMatch(file -> file.bytesIn(emptied) > 0);
        return isInLevel0 ? picker.of(levels.infos(), 0) : best;
    }

    /**
     * Whether too many bytes that seem alive may be dead, because level 0 was not yet merged with the entries it
     * overwrites. While writes go on, the next compactions of level 0 settle that soon.
     */
    private boolean mayHideGarbage(Levels levels) {
        long least = leastLiveBytes(levels.files());
        return levels.fileCount(0) > 0 && garbage.mayHideTooMuch(levels.values().liveBytes() - least, least);
    }

    /** Lower bound on the live bytes of values. Assumes that every entry of level 0 shadows one below. */
    private static long leastLiveBytes(List<List<TableFile>> levels) {
        long deeper = 0;
        for (List<TableFile> level : levels.subList(1, levels.size())) {
            deeper += level.stream().mapToLong(TableFile::valueBytes).sum();
        }
        long largest = 0;
        for (TableFile file : levels.getFirst()) {
            largest = Math.max(largest, file.valueBytes());
        }
        return Math.max(deeper, largest);
    }

    private List<ValueSegmentUse> whole(Version version) {
        return version.values().uses().stream()
                .filter(segment -> !damage.isIn(segment.number()))
                .toList();
    }

    private Set<Long> withClustering(Set<Long> dead, Version version) {
        Set<Long> emptied = new HashSet<>(dead);
        emptied.addAll(clustering.due(version));
        return emptied;
    }

    /** A walk that step by step brings all files with entries up to an lsn into one level and removes dead values. */
    public final class Walk {

        private final long lsn;
        private final long newestFile;
        private long newestSegment = Long.MAX_VALUE;

        /**
         * @param lsn files with newer entries only are left to other jobs, or else the walk would not end while writes go on
         * @param newestFile the number of the file that was made last
         */
        public Walk(Version version, long lsn, long newestFile) {
            this.lsn = lsn;
            this.newestFile = newestFile;
            clustering.wantAll(version.values());
        }

        /** The next step, or null when there is none, given the number of the file that was made last. */
        public @Nullable Job next(Version version, long newest) {
            List<List<SsTableInfo>> levels = version.levels().infos();
            CompactionPicker.Choice choice = picker.pickFull(levels, newestFile, lsn);
            if (choice == null) {
                newestSegment =
                        Math.min(newestSegment, newest); // later segments have values that were just put in order
            }
            Set<Long> emptied = withClustering(some(garbage.worthwhile(whole(version)), version), version);
            emptied.removeIf(number -> number > newestSegment);
            return Job.of(choice != null ? choice : move(version.levels(), emptied), emptied);
        }

        /** The compaction of level 0 if writers may soon wait for it while this walk has the turn, or null. */
        public @Nullable Job urgent(Version version) {
            boolean isUrgent = picker.isLevel0Urgent(version.levels().infos());
            return isUrgent ? Job.of(picker.of(version.levels().infos(), 0), Set.of()) : null;
        }
    }

    public void giveUpOrder(Version version) {
        clustering.giveUp(version.values());
    }
}
