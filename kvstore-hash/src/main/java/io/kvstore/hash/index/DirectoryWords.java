package io.kvstore.hash.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The words of the directory, and for the writer how many entries each page has. The first bits of a hash are its index, so a
 * page whose hashes have fewer bits in common has several words, beside each other.
 */
final class DirectoryWords {

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    /** Up to this size the directory may double whatever the number of pages is. */
    private static final int SMALL_SIZE = 256;

    /** A larger directory has at most this many words for each page. With good hashes there are one or two. */
    private static final int MOST_WORDS_A_PAGE = 8;

    /** If entries are expected, it may also have one word for this number of them. */
    private static final int LEAST_ENTRIES_A_WORD = 32;

    private static final int MOST_BITS = 30;

    private long expectedWords;

    private volatile long[] words = {PageWord.NO_LINES};

    /** At the first index of each page. */
    private int[] counts = new int[1];

    private int pages = 1;

    /** @param expectedEntries of an image, whose entries come in the order of their hashes, so that the first begin alike */
    DirectoryWords(long expectedEntries) {
        this.expectedWords = expectedEntries / LEAST_ENTRIES_A_WORD;
    }

    /** Says that there are to be so many entries. */
    void expect(long entries) {
        expectedWords = Math.max(expectedWords, entries / LEAST_ENTRIES_A_WORD);
    }

    /** The word of the page of a hash. For any thread. */
    long get(long hash) {
        long[] now = words;
        return (long) WORD.getAcquire(now, index(now.length, hash));
    }

    private static int index(int size, long hash) {
        int bits = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(size);
        return (int) (hash >>> 1 >>> (Long.SIZE - 1 - bits));
    }

    private int first(long hash) {
        long word = get(hash);
        return index(counts.length, PageWord.firstHash(word, hash));
    }

    /** How many entries the page of a hash has. */
    int count(long hash) {
        return counts[first(hash)];
    }

    void addToCount(long hash, int change) {
        counts[first(hash)] += change;
    }

    /** Puts a page in the place of the one of the same depth that a hash has. */
    void set(long hash, long word) {
        setAll(words, index(counts.length, PageWord.firstHash(word, hash)), word);
    }

    private static void setAll(long[] words, int first, long word) {
        int count = words.length >>> PageWord.depth(word);
        for (int i = first; i < first + count; i++) {
            WORD.setRelease(words, i, word);
        }
    }

    int pages() {
        return pages;
    }

    long bytes() {
        return (long) counts.length * (Long.BYTES + Integer.BYTES);
    }

    boolean maySplit(int depth) {
        int size = counts.length;
        return 1 << depth < size || (depth < MOST_BITS && 2L * size <= mostWords());
    }

    private long mostWords() {
        return Math.max(Math.max(SMALL_SIZE, expectedWords), (long) MOST_WORDS_A_PAGE * pages);
    }

    /** A larger directory, on its way. */
    record Doubled(long[] words, int[] counts) {}

    /** Makes what {@link #split} of a page needs. Changes nothing, as it may fail for want of memory. */
    @Nullable
    Doubled prepareSplit(int depth) {
        long[] old = words;
        if (1 << depth < old.length) {
            return null;
        }
        Doubled doubled = new Doubled(new long[2 * old.length], new int[2 * old.length]);
        for (int i = 0; i < old.length; i++) {
            doubled.words[2 * i] = old[i];
            doubled.words[2 * i + 1] = old[i];
            doubled.counts[2 * i] = counts[i];
        }
        return doubled;
    }

    /** Puts two pages in the place of the page that a hash has. */
    void split(long hash, @Nullable Doubled doubled, Half low, Half high) {
        if (doubled != null) {
            counts = doubled.counts;
            words = doubled.words;
        }
        int first = index(counts.length, PageWord.firstHash(get(hash), hash));
        int second = first + (counts.length >>> PageWord.depth(high.word));
        setAll(words, first, low.word);
        setAll(words, second, high.word);
        counts[first] = low.count;
        counts[second] = high.count;
        pages++;
    }

    /** Puts two pages without lines in the place of the one that a hash has. */
    void splitEmpty(long hash) {
        int depth = PageWord.depth(get(hash));
        Half empty = new Half(PageWord.of(0, 0, depth + 1), 0, 0);
        split(hash, prepareSplit(depth), empty, empty);
    }

    /**
     * One of the pages that another page becomes.
     *
     * @param count of its entries
     * @param spilled how many of them lie behind their home lines
     */
    record Half(long word, int count, int spilled) {}
}
