package io.kvstore.hash.index;

import java.util.Arrays;

/** The entries of one page in the order of the first 32 bits of their hashes. To be used again for other pages. */
public final class PageCopy {

    /** What {@link #next} gives behind the last page. */
    public static final long END = 1L << Integer.SIZE;

    private long[] hashes = {};
    private long[] places = {};
    private long[] order = {};
    private int count;
    private long next;

    public int count() {
        return count;
    }

    /** The bits of an entry's hash that the index has: the first 32 and the last 19. The others are 0. */
    public long hash(int index) {
        return hashes[index];
    }

    public long place(int index) {
        return places[index];
    }

    /** The first 32 bits with which hashes of the next page begin, or {@link #END}. */
    public long next() {
        return next;
    }

    void copy(Page page, long nextPrefix) {
        next = nextPrefix;
        count = 0;
        if (order.length < page.words()) {
            hashes = new long[page.words()];
            places = new long[page.words()];
            order = new long[page.words()];
        }
        for (int i = 0; i < page.words(); i++) {
            if (!EntryWord.isFree(page.word(i))) {
                order[count++] = ((long) (page.prefix(i) ^ Integer.MIN_VALUE) << Integer.SIZE) | i;
            }
        }
        Arrays.sort(order, 0, count);
        for (int i = 0; i < count; i++) {
            int index = (int) order[i];
            long word = page.word(index);
            hashes[i] = ((long) page.prefix(index) << Integer.SIZE) | EntryWord.tag(word);
            places[i] = EntryWord.place(word);
        }
    }
}
