package io.kvstore.bplus;

import io.kvstore.value.ValueStore;
import java.util.function.BooleanSupplier;

/**
 * Gives back what nobody looks at any more, which takes no work: pages, and segments of values. Any thread may; several at a
 * time give back different things.
 */
final class Reclaim {

    private static final long LEAST_PAGES = 64;

    private final Tree tree;
    private final Generations generations;
    private final PageBuffer buffer;
    private final ValueStore values;
    private final Space space;
    private final BooleanSupplier failed;
    private volatile long pagesAt = LEAST_PAGES;

    /**
     * Nothing was given back yet.
     *
     * @param failed whether a checkpoint failed for good: the superblock that was written then may count when the table is
     * opened
     *     again, so nothing is given back any more that it may lead to
     */
    Reclaim(Tree tree, TreeParts parts, Space space, BooleanSupplier failed) {
        this.tree = tree;
        this.generations = parts.generations();
        this.buffer = parts.buffer();
        this.values = parts.values();
        this.space = space;
        this.failed = failed;
    }

    /** Gives pages back if there may be many. */
    void someTime() {
        if (generations.retiredPages() >= pagesAt) {
            pages();
        }
    }

    /** Gives everything back. */
    void now() {
        pages();
        tree.retireEmptied();
        segments();
    }

    private void pages() {
        if (failed.getAsBoolean()) {
            return;
        }
        for (long id : generations.reclaim()) {
            if (!buffer.discard(id)) {
                generations.giveAgain(id);
            }
        }
        pagesAt = Math.max(LEAST_PAGES, 2L * generations.retiredPages());
    }

    /** Gives segments back, however few. */
    void segments() {
        if (failed.getAsBoolean()) {
            return;
        }
        if (generations.retiredSegments() > 0) {
            Generations.Segments retired = generations.reclaimSegments();
            retired.free().forEach(values::unlink);
            space.pinnedByViews(values.bytesOf(retired.pinned()));
        }
        values.removeUnused();
        space.changed();
    }
}
