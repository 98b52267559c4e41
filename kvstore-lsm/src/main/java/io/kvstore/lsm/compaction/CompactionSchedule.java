package io.kvstore.lsm.compaction;

import io.kvstore.engine.Snapshots;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.SpaceDebt;
import io.kvstore.lsm.version.TableFile;
import io.kvstore.lsm.version.Version;
import io.kvstore.value.ValueGarbage;
import io.kvstore.value.ValueSegmentUse;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says which compaction is next, and which value segments it empties on its way: what keeps the levels in shape, or else what
 * brings back space or puts values in order. For the one who has the turn to compact; writers ask nothing of it, for an answer
 * takes as long as there are files.
 *
 * <p>Damaged segments are neither counted nor emptied: what is dead in them stays until the last pointer into them is gone.
 */
public final class CompactionSchedule {

    /** A file is written anew when more than this part of it was kept for snapshots that are gone. */
    private static final int KEPT_PART = 4;

    private final CompactionPicker picker;
    private final ValueGarbage garbage;
    private final Clustering clustering;
    private final Damage damage;
    private final SpaceDebt debt;
    private final Snapshots snapshots;
    private final LsmOptions options;

    /**
     * What is to be done.
     *
     * @param choice the files
     * @param emptied numbers of value segments whose values move when they are met
     */
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
        this.garbage = ValueGarbage.knownLate(parts.options().segmentBytes());
        this.clustering = new Clustering(parts.options().segmentBytes(), garbage, damage);
    }

    /** What is due, or null. */
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

    /** Writers wait for space, so what brings most of it is first, whatever the shape of the levels. */
    private @Nullable Job bringingSpace(Version version, Levels levels) {
        Set<Long> emptied = some(garbage.worthwhile(whole(version)), version);
        CompactionPicker.Choice choice =
                levels.space().hiddenBytes().getFirst() > 0 ? picker.of(levels.infos(), 0) : null;
        choice = choice == null ? move(levels, emptied) : choice;
        choice = choice == null ? keptInVain(levels, Integer.MAX_VALUE) : choice;
        choice = choice == null ? picker.pick(levels.infos(), level0Trigger(levels)) : choice;
        return Job.of(choice == null ? hidingMost(levels) : choice, emptied);
    }

    /** Small memtables make small files. */
    private int level0Trigger(Levels levels) {
        return levels.values().files().isEmpty()
                ? options.level0Trigger()
                : options.level0Trigger(levels.memTableApartBytes());
    }

    /** A step down from the level that hides most of what lies below it, or null. */
    private CompactionPicker.@Nullable Choice hidingMost(Levels levels) {
        List<Long> hidden = levels.space().hiddenBytes();
        int best = 0;
        for (int level = 1; level < hidden.size() - 1; level++) {
            best = levels.fileCount(level + 1) > 0 && hidden.get(level) > hidden.get(best) ? level : best;
        }
        return best > 0 ? picker.of(levels.infos(), best) : null;
    }

    /**
     * The file that has most of what was kept for snapshots only that are not open any more, if that is much of it; or null.
     */
    private CompactionPicker.@Nullable Choice keptInVain(Levels levels, int part) {
        TableFile most = null;
        int in = 0;
        long[] open = snapshots.openLsns();
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

    /** Of the segments to be emptied those that bring most for what is moved, as many as may be moved at a time. */
    private Set<Long> some(Set<Long> segments, Version version) {
        List<ValueSegmentUse> emptiest = version.values().segments().stream()
                .filter(segment -> segments.contains(segment.number()))
                .sorted(Comparator.comparingDouble(
                        segment -> (double) segment.liveBytes() / segment.info().bytes()))
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

    private CompactionPicker.@Nullable Choice move(Levels levels, Set<Long> emptied) {
        return ValueRewrites.pick(picker, levels.files(), emptied, damage);
    }

    /**
     * Whether too much may be dead of what seems to be alive, because level 0 has not met what it overwrites. While writes go
     * on, the next files of level 0 settle that soon.
     */
    private boolean mayHideGarbage(Levels levels) {
        long least = ValueRewrites.leastLiveBytes(levels.files());
        return levels.fileCount(0) > 0 && garbage.mayHideTooMuch(levels.values().liveBytes() - least, least);
    }

    private List<ValueSegmentUse> whole(Version version) {
        return version.values().segments().stream()
                .filter(segment -> !damage.isIn(segment.number()))
                .toList();
    }

    private Set<Long> withClustering(Set<Long> dead, Version version) {
        Set<Long> emptied = new HashSet<>(dead);
        emptied.addAll(clustering.due(version));
        return emptied;
    }

    /** What brings everything that was written up to an lsn into one level, and dead values away, step by step. */
    public final class Walk {

        private final long lsn;
        private final long newestFile;
        private long newestSegment = Long.MAX_VALUE;

        /**
         * Begins one.
         *
         * @param lsn what is newer is left to others, or else there would be no end while somebody writes
         * @param newestFile the number of the file that was made last
         */
        public Walk(Version version, long lsn, long newestFile) {
            this.lsn = lsn;
            this.newestFile = newestFile;
            clustering.wantAll(version.values());
        }

        /**
         * The next step, or null when there is none.
         *
         * @param newest the number of the file that was made last
         */
        public @Nullable Job next(Version version, long newest) {
            List<List<SsTableInfo>> levels = version.levels().infos();
            CompactionPicker.Choice choice = picker.pickFull(levels, newestFile, lsn);
            if (choice == null) {
                newestSegment = Math.min(newestSegment, newest); // later ones have what was just put in order
            }
            Set<Long> emptied = withClustering(some(garbage.worthwhile(whole(version)), version), version);
            emptied.removeIf(number -> number > newestSegment);
            return Job.of(choice != null ? choice : move(version.levels(), emptied), emptied);
        }

        /** What writers would wait for if all others waited for this walk, or null. */
        public @Nullable Job urgent(Version version) {
            boolean isUrgent = picker.isLevel0Urgent(version.levels().infos());
            return isUrgent ? Job.of(picker.of(version.levels().infos(), 0), Set.of()) : null;
        }
    }

    /** Gives up what was to be put in order. */
    public void giveUpOrder(Version version) {
        clustering.giveUp(version.values());
    }
}
