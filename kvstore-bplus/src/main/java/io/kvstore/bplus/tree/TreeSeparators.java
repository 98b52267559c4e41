package io.kvstore.bplus.tree;

import io.kvstore.bplus.page.Node;
import io.kvstore.data.KeyRange;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys at which the pages below a level of a kept state begin. Looks at pages of inner levels only, from the root down: a
 * level is looked at if the one above it has too few keys in the range, so few pages are read.
 */
public final class TreeSeparators {

    private final TreeReader reader;
    private final TreeVersions.State state;
    private final KeyRange range;

    public TreeSeparators(TreeReader reader, TreeVersions.State state, KeyRange range) {
        this.reader = reader;
        this.state = state;
        this.range = range;
    }

    /** Ascending keys of the range: at least as many as are wanted, or those of the level above the leaves. */
    public List<byte[]> find(int wanted) throws IOException {
        List<byte[]> found = List.of();
        if (state.rootId() != 0) {
            int level = Node.level(
                    reader.page(state, null, Integer.MAX_VALUE).page().bytes());
            for (; level > 0 && found.size() < wanted; level--) {
                found = ofLevel(level);
            }
        }
        return found;
    }

    private List<byte[]> ofLevel(int level) throws IOException {
        List<byte[]> keys = new ArrayList<>();
        byte[] begin = range.lower();
        boolean isMore = true;
        for (int attempt = 0; isMore; attempt++) {
            TreeReader.Leaf at = reader.page(state, begin, level);
            List<byte[]> here = keysOf(at);
            if (here == null) {
                reader.pause(attempt);
                continue;
            }
            attempt = 0;
            keys.addAll(here);
            begin = at.upper();
            isMore = begin != null && !range.isAbove(begin);
        }
        return keys;
    }

    /** The keys of a page that are in the range, and where the next one begins; null if the page was evicted meanwhile. */
    private @Nullable List<byte[]> keysOf(TreeReader.Leaf at) {
        List<byte[]> keys = new ArrayList<>();
        MemorySegment bytes = at.page().bytes();
        try {
            for (int i = 1; i < at.count(); i++) {
                add(Node.key(bytes, i), keys);
            }
        } catch (IndexOutOfBoundsException e) {
            reader.requireChanged(at.page(), at.version(), e);
            return null;
        }
        if (!at.page().isUnchanged(at.version())) {
            return null;
        }
        byte[] next = at.upper();
        if (next != null) {
            add(next, keys);
        }
        return keys;
    }

    private void add(byte[] key, List<byte[]> keys) {
        if (range.contains(key)) {
            keys.add(key);
        }
    }
}
