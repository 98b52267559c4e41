package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageSupply;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Background work that looks at one leaf of the newest state after the other. Each is looked at under the lock for writing; if
 * it is not in memory, it is read without that lock. Between two leaves the tree may change; whoever walks it by keys meets
 * every key that was there all the time.
 */
public final class LeafWalk {

    /** Where a walk begins. */
    public static final byte[] FIRST = {};

    private final Tree tree;
    private final TreeParts parts;
    private final PageSupply pages;

    public LeafWalk(Tree tree, TreeParts parts, PageSupply pages) {
        this.tree = tree;
        this.parts = parts;
        this.pages = pages;
    }

    /**
     * Shows the leaf where a key belongs, if the tree is not empty.
     *
     * @return where the next leaf begins; null if it was the last
     */
    public byte @Nullable [] next(byte[] key, Consumer<Page> visitor) throws IOException {
        try {
            while (true) {
                long missing;
                parts.writing().lock();
                try {
                    missing = tree.find(key);
                    if (missing == 0) {
                        return tree.showFound(visitor);
                    }
                } finally {
                    parts.writing().unlock();
                }
                pages.load(List.of(missing));
            }
        } finally {
            // not before: on a way of more pages than the buffer has, one would drive out another for ever
            parts.buffer().releaseKept();
        }
    }
}
