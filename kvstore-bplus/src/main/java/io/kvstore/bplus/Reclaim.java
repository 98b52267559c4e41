package io.kvstore.bplus;

import io.kvstore.value.ValueStore;

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
    private volatile long pagesAt = LEAST_PAGES;

    Reclaim(Tree tree, TreeParts parts, Space space) {
        this.tree = tree;
        this.generations = parts.generations();
        this.buffer = parts.buffer();
        this.values = parts.values();
        this.space = space;
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
        for (long id : generations.reclaim()) {
            if (!buffer.discard(id)) {
                generations.giveAgain(id);
            }
        }
        pagesAt = Math.max(LEAST_PAGES, 2L * generations.retiredPages());
    }

    /** Gives segments back, however few. */
    void segments() {
        if (generations.retiredSegments() > 0) {
            Generations.Segments retired = generations.reclaimSegments();
            retired.free().forEach(values::unlink);
            space.pinnedByViews(values.bytesOf(retired.pinned()));
        }
        values.removeUnused();
        space.changed();
    }
}
