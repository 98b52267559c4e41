package io.kvstore.bplus;

import io.kvstore.value.ValuePointer;
import io.kvstore.value.ValueSegmentUse;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes values once more in the order of their keys, so that scans find those of neighbours next to each other. Values lie in
 * the order in which they were put; a scan of a table that was loaded in random order reads each of them from somewhere else.
 *
 * <p>Takes some segments at a time, goes through all leaves and moves what points into them: then these segments are empty, and
 * their values lie in one run that is in order. As many are taken as there is room for beside what is dead, because the old
 * ones go only with the checkpoint after that. So a table of which little was dead ends as three or four runs, which is nearly
 * as good for a scan as one.
 */
final class Clustering {

    /** What a run writes at most, in parts of what is alive. */
    private static final double RUN_SHARE = 0.4;

    /** The same with what is dead and pinned: what may be dead, and nearly what may be pinned before a checkpoint is due. */
    private static final double ALL_SHARE = 0.65;

    private static final int LEAST_RUN_SEGMENTS = 2;

    /** What is not in order yet is worth a run of its own if it is this part of all, or else all of it is put in order. */
    private static final int WORTHWHILE_PART = 4;

    private final Tree tree;
    private final ValueStore values;
    private final Relocation relocation;
    private final LeafWalk walk;
    private final Set<Long> ordered = new HashSet<>();
    private volatile boolean stopped;

    Clustering(Tree tree, TreeParts parts, Relocation relocation, LeafWalk walk) {
        this.tree = tree;
        this.values = parts.values();
        this.relocation = relocation;
        this.walk = walk;
    }

    /** What is done after each leaf and after each run. */
    interface Pauses {

        /** Does what is urgent; nothing waits to be moved then. */
        void afterLeaf() throws IOException;

        /** Makes a checkpoint and gives back what it freed. */
        void afterRun() throws IOException;
    }

    /**
     * Puts the values in order that are not; one caller at a time.
     *
     * @param again whether to take all of them if these are few
     */
    void run(boolean again, Pauses pauses) throws IOException {
        relocation.seal();
        Set<Long> before = numbers(relocation.sealed());
        for (Set<Long> sources : runs(again)) {
            if (!stopped && !areOldOnesKept()) {
                run(sources, pauses);
            }
            if (!stopped) {
                pauses.afterRun();
            }
        }
        relocation.seal();
        Set<Long> after = numbers(relocation.sealed());
        ordered.retainAll(after);
        after.removeAll(before);
        ordered.addAll(after);
    }

    /** Who looks at an older state keeps the segments that were emptied; then no more of them are. */
    private boolean areOldOnesKept() {
        return values.pinnedBytes() > RUN_SHARE / 2 * values.liveBytes() + LEAST_RUN_SEGMENTS * values.segmentBytes();
    }

    private List<Set<Long>> runs(boolean again) {
        List<ValueSegmentUse> all = relocation.sealed();
        long live = liveBytes(all);
        List<ValueSegmentUse> chosen = all.stream()
                .filter(segment -> !ordered.contains(segment.number()))
                .toList();
        if (again && liveBytes(chosen) * WORTHWHILE_PART < live) {
            chosen = all;
        }
        double room = roomBytes(live, values.deadBytes() + values.pinnedBytes());
        double runBytes = Math.max(room, (double) LEAST_RUN_SEGMENTS * values.segmentBytes());
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

    /** What a run may write; below zero if too much is dead or pinned already. */
    static double roomBytes(long liveBytes, long deadAndPinnedBytes) {
        return Math.min(RUN_SHARE * liveBytes, ALL_SHARE * liveBytes - deadAndPinnedBytes);
    }

    private static long liveBytes(List<ValueSegmentUse> segments) {
        return segments.stream().mapToLong(ValueSegmentUse::liveBytes).sum();
    }

    private static Set<Long> numbers(List<ValueSegmentUse> segments) {
        Set<Long> numbers = new HashSet<>();
        segments.forEach(segment -> numbers.add(segment.number()));
        return numbers;
    }

    private void run(Set<Long> sources, Pauses pauses) throws IOException {
        values.write();
        List<ValuePointer> found = new ArrayList<>();
        byte[] from = LeafWalk.FIRST;
        while (from != null && !stopped) {
            from = walk.next(from, leaf -> tree.pointers(leaf, sources, found));
            for (ValuePointer pointer : found) {
                relocation.move(pointer);
            }
            relocation.finish();
            found.clear();
            pauses.afterLeaf();
        }
    }

    /** Ends soon. */
    void stop() {
        stopped = true;
    }
}
