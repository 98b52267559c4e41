package io.kvstore.bplus;

import io.kvstore.value.HashIndex;
import java.io.IOException;

/**
 * Fills the {@link HashIndex} from the leaves. Runs when the table has grown out of its index, and when gets of a table that
 * was opened ask the tree again and again.
 */
final class HashIndexBuilder {

    private final Tree tree;
    private final TreeParts parts;
    private final LeafWalk walk;
    private volatile boolean stopped;

    HashIndexBuilder(Tree tree, TreeParts parts, LeafWalk walk) {
        this.tree = tree;
        this.parts = parts;
        this.walk = walk;
    }

    /** Makes the index as large as it should be for so many keys, and fills it; one caller at a time. */
    void run(long keys) throws IOException {
        if (parts.index().prepare(keys)) {
            parts.writing().lock();
            try {
                parts.index().grow();
            } finally {
                parts.writing().unlock();
            }
        }
        byte[] from = LeafWalk.FIRST;
        while (from != null && !stopped) {
            from = walk.next(from, leaf -> tree.addTo(parts.index(), leaf));
        }
        if (from == null) {
            parts.index().filled();
        }
    }

    /** Ends soon. */
    void stop() {
        stopped = true;
    }
}
