package io.kvstore.bplus;

import io.kvstore.engine.UnusedMemory;
import io.kvstore.value.HashIndex;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes the {@link HashIndex} and fills it from the leaves. Runs when gets ask the tree again and again, and when the table has
 * grown out of its index. Gives its memory to others where nobody gets anything.
 */
final class HashIndexBuilder implements UnusedMemory {

    private final Tree tree;
    private final TreeParts parts;
    private final LeafWalk walk;
    private final PutBuffer puts;
    private final ReentrantLock longWork;
    private volatile boolean stopped;

    /** @param longWork held by who calls {@link #run} */
    HashIndexBuilder(Tree tree, TreeParts parts, LeafWalk walk, PutBuffer puts, ReentrantLock longWork) {
        this.longWork = longWork;
        this.tree = tree;
        this.parts = parts;
        this.walk = walk;
        this.puts = puts;
    }

    /**
     * Makes the index as large as it should be for so many keys, if gets asked for it, and fills it; one caller at a time.
     *
     * @param pauses what is done after each leaf
     */
    void run(long keys, Clustering.Pauses pauses) throws IOException {
        if (parts.index().prepare(keys, true)) {
            puts.grow(parts.index());
        }
        if (!parts.index().isAskedFor()) {
            return;
        }
        byte[] from = LeafWalk.FIRST;
        while (from != null && !stopped) {
            from = walk.next(from, this::add);
            pauses.afterLeaf();
        }
        if (from == null) {
            parts.index().filled();
        }
    }

    private void add(Page leaf) {
        parts.putting().lock();
        try {
            tree.addTo(parts.index(), leaf, puts::holds);
        } finally {
            parts.putting().unlock();
        }
    }

    @Override
    public boolean isUnused() {
        return parts.index().isUnused();
    }

    /** A part of the index is of no use without the rest. */
    @Override
    public Given giveBack(long wantedBytes) {
        return Given.NONE;
    }

    @Override
    public Given giveBackAny(long wantedBytes) {
        Given given = Given.NONE;
        if (longWork.tryLock()) { // nobody fills it meanwhile
            try {
                if (parts.putting().tryLock()) {
                    try {
                        given = parts.index().giveBack();
                    } finally {
                        parts.putting().unlock();
                    }
                }
            } finally {
                longWork.unlock();
            }
        }
        return given;
    }

    /** Ends soon. */
    void stop() {
        stopped = true;
    }
}
