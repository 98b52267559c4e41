package io.kvstore.hash.index;

/** How many lines a page may have. */
final class PageSizes {

    /** A page of this size becomes two, if that parts its entries. */
    static final int SPLIT_LINES = 64;

    /** Only a page whose entries a split does not part gets more lines than {@link #SPLIT_LINES}. */
    static final int MOST_LINES = 120;

    private static final int[] SIZES = {0, 1, 2, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64, 80, 96, MOST_LINES};

    private PageSizes() {}

    /** The least size with at least the given number of lines, which is at most {@link #MOST_LINES}. */
    static int atLeast(int lines) {
        int at = 0;
        while (SIZES[at] < lines) {
            at++;
        }
        return SIZES[at];
    }
}
