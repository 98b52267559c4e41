package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.lock.RankedLock;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Background work that looks at the leaves of the newest state one after the other. It looks at a leaf under the lock for
 * writing. A leaf that is not in memory is read without that lock. The tree may change between two leaves. A walk by keys meets
 * every key that was in the tree all the time.
 */
public final class LeafWalk {

    /** The key where a walk begins. */
    public static final byte[] FIRST = {};

    private final Tree tree;
    private final TreeParts parts;
    private final PageSupply pages;

    public LeafWalk(Tree tree, TreeParts parts, PageSupply pages) {
        this.tree = tree;
        this.parts = parts;
        this.pages = pages;
    }

    /** Shows the leaf of a key, if the tree is not empty. Returns the key where the next leaf begins, or null. */
    public byte @Nullable [] next(byte[] key, Consumer<Page> visitor) throws IOException {
        try {
            while (true) {
                long missing;
                try (RankedLock.Held _ = parts.writing().hold()) {
                    missing = tree.find(key);
                    if (missing == 0) {
                        return tree.showFound(visitor);
                    }
                }
                pages.load(List.of(missing));
            }
        } finally {
            // not earlier: on a path with more pages than the buffer has, pages would evict each other for ever
            parts.buffer().releaseKept();
        }
    }
}
