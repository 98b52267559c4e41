package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.change.BlockedRanges;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.RefusedException;
import java.io.IOException;
import java.util.List;

/**
 * Merges changes into the tree in the order of their keys. A leaf is found, copied and split once for all of its changes. Of
 * the changes of one key only the newest is made.
 */
public final class SortedMerge {

    private final Tree tree;
    private final TreeParts parts;
    private final PageSupply pages;
    private final boolean takesMore;
    private long loads;
    private long missing;

    /** @param takesMore whether to go on with more memory than there is while the disk is full */
    public SortedMerge(Tree tree, TreeParts parts, PageSupply pages, boolean takesMore) {
        this.tree = tree;
        this.parts = parts;
        this.pages = pages;
        this.takesMore = takesMore;
    }

    public long loads() {
        return loads;
    }

    /**
     * Makes changes from an index on, up to the first whose page is not in memory. If no change can be made, reads the page of
     * the first one. No lock is held while a page is read. Returns the index of the next change.
     */
    public int run(SortedChanges all, int from) throws IOException {
        int newPages = newPages(all);
        parts.versions().letLook();
        try {
            pages.makeRoom(newPages);
        } catch (RefusedException e) {
            // acknowledged changes may take more memory than there is; further puts are refused
            if (!takesMore) {
                throw e;
            }
        }
        int done = apply(all, from, newPages);
        if (done == from) {
            loads++;
            pages.load(List.of(missing));
        } else {
            parts.buffer().releaseKept();
        }
        return done;
    }

    /** The most pages that the changes of one leaf make: copies of its path, splits, and the pages that one entry fills. */
    private int newPages(SortedChanges all) {
        return 4 * (tree.height() + 1) + 8 * all.longestBytes() / PageFile.UNIT_BYTES;
    }

    private int apply(SortedChanges all, int from, int newPages) {
        if (all.touch(from) < 0) { // depends on the bytes that were read, or else they would not be read
            throw new IllegalStateException("a key shorter than nothing");
        }
        try (RankedLock.Held _ = parts.writing().hold()) {
            parts.buffer().prepare(newPages);
            int done = tree.applySorted(all, from, newPages);
            missing = tree.missingPage(); // while no other thread looks for a path
            return done;
        }
    }

    /** Blocks the keys whose path needs the same damaged page as that of this key. */
    public void block(byte[] key, BlockedRanges blocked, CorruptionException cause) {
        try (RankedLock.Held _ = parts.writing().hold()) {
            tree.block(key, missing, blocked, cause);
        }
    }

    /** Called when all changes up to this operation are made. */
    public void end(long lastLsn) {
        try (RankedLock.Held _ = parts.writing().hold()) {
            tree.applied(lastLsn);
        }
    }
}
