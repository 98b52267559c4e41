package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.tree.LeafWalk;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
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
 *
 * <p>In the background only segments are taken whose values scans have waited for, once for each that is alive; one that is in
 * order already is worth it later. So what is written for scans of a few keys is in proportion to these, and not to the table.
 */
final class Clustering {

    /** What a run writes at most, in parts of what is alive. */
    private static final double RUN_SHARE = 0.4;

    /** The same with what is dead and pinned: what may be dead, and nearly what may be pinned before a checkpoint is due. */
    private static final double ALL_SHARE = 0.65;

    private static final int LEAST_RUN_SEGMENTS = 2;

    /** A segment in order is scattered where much of it is dead, or it is one of many: to write it anew may not help. */
    private static final int PATIENCE_IN_ORDER = 4;

    /** To look through all leaves for what is to be moved costs about as much as this part of the values' being waited for. */
    private static final int WALK_PART = 32;

    private final Tree tree;
    private final ValueStore values;
    private final ValueRelocation relocation;
    private final LeafWalk walk;
    private final Set<Long> ordered = new HashSet<>();
    private volatile boolean stopped;

    Clustering(Tree tree, TreeParts parts, ValueRelocation relocation, LeafWalk walk) {
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

    /** Whether scans waited so often for values of some segments that these are worth being put in order. */
    boolean isDue() {
        long waits = waitedFor(relocation.sealed()).stream()
                .mapToLong(segment -> values.scattered(segment.number()))
                .sum();
        return waits > values.liveCount() / WALK_PART;
    }

    private List<ValueSegmentUse> waitedFor(List<ValueSegmentUse> segments) {
        return segments.stream().filter(this::isWaitedFor).toList();
    }

    private boolean isWaitedFor(ValueSegmentUse segment) {
        double live = (double) segment.liveBytes() / segment.info().bytes();
        double patience = ordered.contains(segment.number()) ? PATIENCE_IN_ORDER : 1;
        return values.scattered(segment.number())
                > patience * live * segment.info().records();
    }

    /**
     * Puts values in order that are not; one caller at a time.
     *
     * @param all whether all of them, or only those that scans waited for
     */
    void run(boolean all, Pauses pauses) throws IOException {
        relocation.seal();
        List<ValueSegmentUse> sealed = relocation.sealed();
        Set<Long> before = numbers(sealed);
        List<ValueSegmentUse> chosen = all ? notOrdered(sealed) : waitedFor(sealed);
        for (Set<Long> sources : runs(chosen, liveBytes(sealed))) {
            if (!stopped && !areOldOnesKept()) {
                run(sources, pauses);
            }
            if (!stopped) {
                pauses.afterRun();
            }
        }
        chosen.forEach(segment -> values.forgetScattered(segment.number())); // also of what had to stay where it is
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

    private List<ValueSegmentUse> notOrdered(List<ValueSegmentUse> segments) {
        return segments.stream()
                .filter(segment -> !ordered.contains(segment.number()))
                .toList();
    }

    private List<Set<Long>> runs(List<ValueSegmentUse> chosen, long live) {
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
    public static double roomBytes(long liveBytes, long deadAndPinnedBytes) {
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
