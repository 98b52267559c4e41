package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.change.BlockedRanges;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.RefusedException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Brings changes into the tree in the order of their keys: what many changes need of a leaf is found, copied and split once for
 * all of them, and of the changes of one key only the newest is made.
 */
public final class SortedMerge {

    private final Tree tree;
    private final TreeParts parts;
    private final PageSupply pages;
    private final ReentrantLock writing;
    private final boolean takesMore;
    private long loads;
    private long missing;

    /** @param takesMore whether to go on with more memory than there is while the disk is full */
    public SortedMerge(Tree tree, TreeParts parts, PageSupply pages, boolean takesMore) {
        this.tree = tree;
        this.parts = parts;
        this.pages = pages;
        this.writing = parts.writing();
        this.takesMore = takesMore;
    }

    /** How many pages it had to read so far. */
    public long loads() {
        return loads;
    }

    /**
     * Makes changes, from one of them on, up to the first whose page has to be read, which it reads; no lock is held meanwhile.
     *
     * @param all sorted
     * @return where to go on
     */
    public int run(SortedChanges all, int from) throws IOException {
        int newPages = newPages(all);
        try {
            pages.makeRoom(newPages);
        } catch (RefusedException e) {
            // what was acknowledged may take more memory than there is; whoever wants to put more is refused
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

    /** The most pages that the changes of one leaf make: copies of its path, splits, and what one entry fills. */
    private int newPages(SortedChanges all) {
        return 4 * (tree.height() + 1) + 8 * all.longestBytes() / PageFile.UNIT_BYTES;
    }

    private int apply(SortedChanges all, int from, int newPages) {
        if (all.touch(from) < 0) { // depends on what was read, or else it would not be read
            throw new IllegalStateException("a key shorter than nothing");
        }
        writing.lock();
        try {
            parts.buffer().prepare(newPages);
            int done = tree.applySorted(all, from, newPages);
            missing = tree.missingPage(); // while nobody else looks for a way
            return done;
        } finally {
            writing.unlock();
        }
    }

    /** Blocks the keys that need the same damaged page as this one. */
    public void block(byte[] key, BlockedRanges blocked, CorruptionException cause) {
        writing.lock();
        try {
            tree.block(key, missing, blocked, cause);
        } finally {
            writing.unlock();
        }
    }

    /** All changes up to this operation are made. */
    public void end(long lastLsn) {
        writing.lock();
        try {
            tree.applied(lastLsn);
        } finally {
            writing.unlock();
        }
    }
}
