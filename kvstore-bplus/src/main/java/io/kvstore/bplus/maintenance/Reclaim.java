package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.TreeVersions;
import java.util.function.BooleanSupplier;

/**
 * Gives back pages, and segments of values, that no thread looks at any more. This takes no work. Any thread may call it;
 * several threads at a time give back different things.
 */
public final class Reclaim {

    private static final long LEAST_PAGES = 64;

    private final Tree tree;
    private final TreeParts parts;
    private final Slack slack;
    private final BooleanSupplier failed;
    private volatile long pagesAt = LEAST_PAGES;

    /**
     * @param failed whether a checkpoint failed for good. The superblock that was written then may count when the table is
     *     opened again, so nothing is given back any more that it may lead to
     */
    public Reclaim(Tree tree, TreeParts parts, Slack slack, BooleanSupplier failed) {
        this.tree = tree;
        this.parts = parts;
        this.slack = slack;
        this.failed = failed;
    }

    Slack slack() {
        return slack;
    }

    /** Gives pages back if there may be many. */
    public void someTime() {
        if (parts.versions().retiredPages() >= pagesAt) {
            pages();
        }
    }

    public void now() {
        pages();
        tree.retireEmptied();
        segments();
    }

    private void pages() {
        if (failed.getAsBoolean()) {
            return;
        }
        for (long id : parts.versions().reclaim()) {
            if (!parts.buffer().discard(id)) {
                parts.versions().giveAgain(id);
            }
        }
        pagesAt = Math.max(LEAST_PAGES, 2L * parts.versions().retiredPages());
    }

    /** Gives segments back, even if they are few. */
    public void segments() {
        if (failed.getAsBoolean()) {
            return;
        }
        if (parts.versions().retiredSegments() > 0) {
            TreeVersions versions = parts.versions();
            for (long number = versions.takeFreeSegment();
                    number != TreeVersions.NO_SEGMENT;
                    number = versions.takeFreeSegment()) {
                if (failed.getAsBoolean()) {
                    return; // the checkpoint that looked at it failed meanwhile, and its superblock may name it
                }
                parts.values().unlink(number);
            }
            slack.space().pinnedByViews(parts.values().bytesOf(versions.pinnedSegments()));
        }
        slack.space().changed();
    }
}
