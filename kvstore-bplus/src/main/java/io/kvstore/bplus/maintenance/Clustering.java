package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.tree.LeafWalk;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.value.ValueRelocation;
import io.kvstore.value.ValueStore;
import io.kvstore.value.policy.ClusteringPolicy;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes values once more in the order of their keys, where {@link ClusteringPolicy} says that this is worth it. Values lie in
 * the order in which they were put. A scan of a table that was loaded in random order reads each value from somewhere else.
 *
 * <p>One run takes some segments, goes through all leaves and moves the values that lie in these segments. Afterwards the
 * segments are empty, and their values lie in one row that is in order. A run is as long as there is room beside the dead
 * bytes, because the old segments go only with the checkpoint after it. The bytes that are written for scans of a few keys are
 * in proportion to these keys, and not to the table.
 */
final class Clustering {

    /** The most bytes that a run writes, as a part of the live bytes. */
    private static final double RUN_SHARE = 0.4;

    /**
     * The most bytes that a run writes together with dead and pinned bytes, as a part of the live bytes: the bytes that may be
     * dead, and nearly those that may be pinned before a checkpoint is due.
     */
    private static final double ALL_SHARE = 0.65;

    private static final int PATIENCE_IN_ORDER = 4;

    /** A walk through all leaves costs about as much as waiting for this part of the values. */
    private static final int WALK_PART = 32;

    private final ClusteringPolicy policy = new ClusteringPolicy(PATIENCE_IN_ORDER);
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

    /** Whether scans waited so often for the values of some segments that ordering these is worth it. */
    boolean isDue() {
        long waits = relocation.sealed().stream()
                .filter(this::isWaitedFor)
                .mapToLong(segment -> values.log().scattered(segment.number()))
                .sum();
        return waits > values.liveCount() / WALK_PART;
    }

    private boolean isWaitedFor(ValueSegmentUse segment) {
        double live = (double) segment.liveBytes() / segment.info().bytes();
        long waits = values.log().scattered(segment.number());
        return policy.isWaitedFor(waits, live * segment.info().records(), ordered.contains(segment.number()));
    }

    /**
     * Puts values in order. One caller at a time.
     *
     * @param all whether to order all values that are not in order, or only those that scans waited for
     * @param afterLeaf does urgent work; no values wait to be moved then
     * @param afterRun makes a checkpoint and gives back what it freed
     */
    void run(boolean all, Maintenance.Work afterLeaf, Maintenance.Work afterRun) throws IOException {
        relocation.seal();
        List<ValueSegmentUse> sealed = relocation.sealed();
        Set<Long> before = numbers(sealed);
        List<ValueSegmentUse> chosen = sealed.stream()
                .filter(segment -> all ? !ordered.contains(segment.number()) : isWaitedFor(segment))
                .toList();
        long live = sealed.stream().mapToLong(ValueSegmentUse::liveBytes).sum();
        double room = roomBytes(live, values.deadBytes() + values.pinnedBytes());
        for (Set<Long> sources : ClusteringPolicy.runs(chosen, room, values.segmentBytes())) {
            if (!stopped && !areOldOnesKept()) {
                run(sources, afterLeaf);
            }
            if (!stopped) {
                afterRun.run();
            }
        }
        chosen.forEach(segment ->
                values.log().forgetScattered(segment.number())); // also of values that had to stay where they are
        relocation.seal();
        Set<Long> after = numbers(relocation.sealed());
        ordered.retainAll(after);
        after.removeAll(before);
        ordered.addAll(after);
    }

    /** Whether too many emptied segments are kept, because views look at older states. Then no more are emptied. */
    private boolean areOldOnesKept() {
        return values.pinnedBytes()
                > RUN_SHARE / 2 * values.liveBytes() + ClusteringPolicy.leastRunBytes(values.segmentBytes());
    }

    /** The bytes that a run may write; below zero if too many are dead or pinned already. */
    public static double roomBytes(long liveBytes, long deadAndPinnedBytes) {
        return Math.min(RUN_SHARE * liveBytes, ALL_SHARE * liveBytes - deadAndPinnedBytes);
    }

    private static Set<Long> numbers(List<ValueSegmentUse> segments) {
        return segments.stream().map(ValueSegmentUse::number).collect(Collectors.toCollection(HashSet::new));
    }

    private void run(Set<Long> sources, Maintenance.Work afterLeaf) throws IOException {
        values.log().write();
        List<ValuePointer> found = new ArrayList<>();
        byte[] from = LeafWalk.FIRST;
        while (from != null && !stopped) {
            from = walk.next(from, leaf -> tree.pointers(leaf, sources, found));
            for (ValuePointer pointer : found) {
                relocation.move(pointer);
            }
            relocation.finish();
            found.clear();
            afterLeaf.run();
        }
    }

    void stop() {
        stopped = true;
    }
}
