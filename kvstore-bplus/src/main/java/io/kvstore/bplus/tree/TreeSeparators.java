package io.kvstore.bplus.tree;

import io.kvstore.bplus.page.Node;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Separators;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys at which the pages below a level of a kept state begin. Looks at pages of inner levels only, from the root down. A
 * level is looked at if the one above it has fewer than half of the wanted keys, so its pages are no more than that half.
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

    /** Ascending keys of the range, at equal distances among those of one level. */
    public List<byte[]> find(int wanted) throws IOException {
        Separators found = new Separators(wanted);
        if (state.rootId() != 0) {
            for (int level = rootLevel(); level > 0 && !found.isEnough(); level--) {
                found = new Separators(wanted);
                addLevel(level, found);
            }
        }
        return found.keys();
    }

    private int rootLevel() throws IOException {
        for (int attempt = 0; ; attempt++) {
            TreeReader.Leaf root = reader.page(state, null, Integer.MAX_VALUE);
            try {
                int level = Node.level(root.page().bytes());
                if (root.page().isUnchanged(root.version())) {
                    return level;
                }
            } catch (IndexOutOfBoundsException e) {
                reader.requireChanged(root.page(), root.version(), e);
            }
            reader.pause(attempt);
        }
    }

    private void addLevel(int level, Separators keys) throws IOException {
        byte[] begin = range.lower();
        boolean isMore = true;
        while (isMore) {
            begin = addPage(begin, level, keys).upper();
            isMore = begin != null && !range.isAbove(begin);
            if (isMore && keys.passing() > 0) {
                keys.pass(1);
            } else if (isMore && begin != null) {
                keys.add(begin);
            }
        }
    }

    /** Adds the keys of a page between its children. The page never changes, so this goes on after the page was evicted. */
    private TreeReader.Leaf addPage(byte @Nullable [] begin, int level, Separators keys) throws IOException {
        int next = 1;
        for (int attempt = 0; ; attempt++) {
            TreeReader.Leaf at = reader.page(state, begin, level);
            int done = addFrom(next, at, keys);
            if (done < 0) {
                return at;
            }
            attempt = done > next ? 0 : attempt;
            next = done;
            reader.pause(attempt);
        }
    }

    /** Adds keys of a page, from one on. Returns -1, or with which key to go on because the page was evicted meanwhile. */
    private int addFrom(int begin, TreeReader.Leaf at, Separators keys) {
        int next = begin;
        MemorySegment bytes = at.page().bytes();
        try {
            byte[] lower = range.lower();
            byte[] upper = range.upper();
            int first = lower == null ? 1 : 1 + Node.childIndex(bytes, lower);
            int end = upper == null ? at.count() : 1 + Node.childIndex(bytes, upper);
            if (!at.page().isUnchanged(at.version())) {
                return next;
            }
            next = Math.max(next, first);
            while (end - next > keys.passing()) {
                int index = next + (int) keys.passing();
                byte[] key = Node.key(bytes, index);
                if (!at.page().isUnchanged(at.version())) {
                    return next;
                }
                keys.pass(keys.passing());
                keys.add(key);
                next = index + 1;
            }
            keys.pass(Math.max(0, end - next));
            return -1;
        } catch (IndexOutOfBoundsException e) {
            reader.requireChanged(at.page(), at.version(), e);
            return next;
        }
    }
}
