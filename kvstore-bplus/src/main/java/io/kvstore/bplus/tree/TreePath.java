package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.page.Node;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The pages from the root to a leaf, and the index of the entry that leads on from each. One thread uses it again and again.
 */
final class TreePath {

    private @Nullable Page[] pages = new Page[8];
    private int[] indexes = new int[8];
    private int length;

    void clear() {
        length = 0;
    }

    void add(Page page) {
        if (length == pages.length) {
            pages = Arrays.copyOf(pages, 2 * length);
            indexes = Arrays.copyOf(indexes, 2 * length);
        }
        pages[length] = page;
        indexes[length] = 0;
        length++;
    }

    int length() {
        return length;
    }

    Page page(int depth) {
        Page page = pages[depth];
        if (depth >= length || page == null) {
            throw new IndexOutOfBoundsException(depth);
        }
        return page;
    }

    void page(int depth, Page page) {
        pages[depth] = page;
    }

    int index(int depth) {
        return indexes[depth];
    }

    void index(int depth, int index) {
        indexes[depth] = index;
    }

    int last() {
        return length - 1;
    }

    Page leaf() {
        return page(length - 1);
    }

    /** The key where the next leaf begins; null if there is none. */
    byte @Nullable [] upper() {
        return upper(last());
    }

    /** The end, exclusive, of the keys that lead through the entry of the last page; null for no bound. */
    byte @Nullable [] upperOfMissing() {
        return upper(length);
    }

    private byte @Nullable [] upper(int end) {
        byte[] upper = null;
        for (int depth = 0; depth < end; depth++) {
            MemorySegment bytes = page(depth).bytes();
            int next = index(depth) + 1;
            upper = next < Node.count(bytes) ? Node.key(bytes, next) : upper;
        }
        return upper;
    }

    /** The first of the keys that lead through the entry of the last page. */
    byte[] lower() {
        return lower(length);
    }

    /** The first of the keys that lead to the page at this depth. */
    byte[] lower(int end) {
        byte[] lower = {};
        for (int depth = 0; depth < end; depth++) {
            lower = index(depth) > 0 ? Node.key(page(depth).bytes(), index(depth)) : lower;
        }
        return lower;
    }

    /** Becomes the path to a key, as far as it is in memory. Returns the missing page, or 0. */
    long find(PageBuffer buffer, long root, byte[] key) {
        clear();
        long id = root;
        int level = -1;
        while (id != 0) {
            Page page = buffer.find(id, level);
            if (page == null) {
                return id;
            }
            page.touch();
            add(page);
            level = Node.level(page.bytes()) - 1;
            if (level < 0) {
                buffer.looked(length, key);
                return 0;
            }
            index(last(), Node.childIndex(page.bytes(), key));
            id = Node.child(page.bytes(), index(last()));
            if (level == 0) {
                buffer.touch(id, Node.MANY_ENTRIES_BYTES);
            }
        }
        return 0;
    }
}
