package io.kvstore.bplus;

import io.kvstore.data.Mutation;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fills the {@link HashIndex} from the leaves, one after the other, each under the lock for writing. Runs when the table has
 * grown out of its index, and when gets of a table that was opened ask the tree again and again.
 */
final class HashIndexBuilder {

    private static final byte[] FIRST = {};

    private final Tree tree;
    private final TreeParts parts;
    private final Relocation.Pages pages;
    private volatile boolean stopped;

    HashIndexBuilder(Tree tree, TreeParts parts, Relocation.Pages pages) {
        this.tree = tree;
        this.parts = parts;
        this.pages = pages;
    }

    /** Makes the index as large as it should be for so many keys, and fills it; one caller at a time. */
    void run(long keys) throws IOException {
        parts.writing().lock();
        try {
            parts.index().grow(keys);
        } finally {
            parts.writing().unlock();
        }
        byte[] from = FIRST;
        while (from != null && !stopped) {
            from = addLeaf(from);
        }
        if (from == null) {
            parts.index().filled();
        }
    }

    private byte @Nullable [] addLeaf(byte[] key) throws IOException {
        List<Mutation> wanted = List.of(new Mutation.Remove(key));
        while (true) {
            List<Long> missing;
            parts.writing().lock();
            try {
                missing = tree.missing(wanted);
                if (missing.isEmpty()) {
                    return tree.addTo(parts.index());
                }
            } finally {
                parts.writing().unlock();
            }
            pages.load(missing);
            parts.buffer().releaseKept();
        }
    }

    /** Ends soon. */
    void stop() {
        stopped = true;
    }
}
