package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.tree.LeafWalk;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import java.io.IOException;
import java.util.List;

/**
 * Merges leaves that have become half empty. A removal merges only leaves that are in memory, so sparse leaves stay in a table
 * that is larger than its buffer. This work walks all leaves and reads their neighbours. It is no operation: it has no lsn and
 * changes no answer.
 */
final class SparseLeaves {

    private static final long LEAST_REMOVALS = 1_000;

    private final Tree tree;
    private final TreeParts parts;
    private final PageSupply pages;
    private final LeafWalk walk;
    private long missing;
    private volatile boolean stopped;

    SparseLeaves(Tree tree, TreeParts parts, LeafWalk walk, PageSupply pages) {
        this.tree = tree;
        this.parts = parts;
        this.walk = walk;
        this.pages = pages;
    }

    /** Whether enough entries were removed to make it worth looking at all leaves. */
    boolean isDue() {
        long removed = tree.removals();
        return removed > LEAST_REMOVALS && removed > parts.versions().now().entries();
    }

    /** Merges all leaves that can be merged. One caller at a time. */
    void run(Maintenance.Work afterLeaf) throws IOException {
        tree.forgetRemovals();
        byte[] from = LeafWalk.FIRST;
        while (from != null && !stopped) {
            merge(from);
            from = walk.next(from, leaf -> {});
            afterLeaf.run();
        }
    }

    private void merge(byte[] key) throws IOException {
        long before;
        long after = parts.ids().liveCount();
        do {
            before = after;
            tryMerge(key);
            after = parts.ids().liveCount();
        } while (after < before && !stopped);
    }

    private void tryMerge(byte[] key) throws IOException {
        try {
            while (!stopped && !isLookedAt(key)) {
                pages.load(List.of(missing));
            }
        } finally {
            parts.buffer().releaseKept();
        }
    }

    private boolean isLookedAt(byte[] key) throws IOException {
        int newPages = 2 * (tree.height() + 1);
        pages.makeRoom(newPages);
        try (RankedLock.Held _ = parts.writing().hold()) {
            parts.buffer().prepare(newPages);
            boolean isLookedAt = tree.mergeSparse(key);
            missing = tree.missingPage(); // while no other thread looks for a path
            return isLookedAt;
        }
    }

    void stop() {
        stopped = true;
    }
}
