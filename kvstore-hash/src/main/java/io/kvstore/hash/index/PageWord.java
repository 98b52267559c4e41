package io.kvstore.hash.index;

/**
 * The bits of a word of the directory, which says where a page is:
 *
 * <pre>
 *   bits  0..5   depth: how many first bits the hashes of the page have in common
 *   bits  6..12  lines; a page of no lines has no memory
 *   bit  13      far: an entry may lie more than four lines behind its home line
 *   bits 14..33  first line in its piece of memory
 *   bits 34..63  number of the piece
 * </pre>
 */
final class PageWord {

    private static final int DEPTH_BITS = 6;
    private static final int LINES_BITS = 7;
    private static final long FAR = 1L << (DEPTH_BITS + LINES_BITS);
    private static final int ADDRESS_SHIFT = DEPTH_BITS + LINES_BITS + 1;
    static final int LINE_BITS = 20;

    /** An entry lies in its home line or in one of the next ones, unless its page is far. */
    static final int NEAR_LINES = 5;

    /** A page without lines that holds all hashes. */
    static final long NO_LINES = 0;

    private PageWord() {}

    static long of(long address, int lines, int depth) {
        return (address << ADDRESS_SHIFT) | ((long) lines << DEPTH_BITS) | depth;
    }

    static long far(long word) {
        return word | FAR;
    }

    static boolean isFar(long word) {
        return (word & FAR) != 0;
    }

    static int depth(long word) {
        return (int) word & ((1 << DEPTH_BITS) - 1);
    }

    static int lines(long word) {
        return (int) (word >>> DEPTH_BITS) & ((1 << LINES_BITS) - 1);
    }

    /** Piece and line, as one number. */
    static long address(long word) {
        return word >>> ADDRESS_SHIFT;
    }

    static int pieceOf(long address) {
        return (int) (address >>> LINE_BITS);
    }

    static int lineOf(long address) {
        return (int) address & ((1 << LINE_BITS) - 1);
    }

    /** How many lines from its home line on may have an entry. */
    static int reach(long word) {
        int lines = lines(word);
        return isFar(word) ? lines : Math.min(lines, NEAR_LINES);
    }

    /** The line in which an entry lies if that line has room. Lines are in the order of the first 32 bits of the hashes. */
    static int home(long word, long hash) {
        return home(lines(word), depth(word), (int) (hash >>> Integer.SIZE));
    }

    /** As {@link #home(long, long)}, from the first 32 bits of a hash. */
    static int home(int lines, int depth, int prefix) {
        long fraction = (Integer.toUnsignedLong(prefix) << depth) & 0xFFFF_FFFFL;
        return (int) ((fraction * lines) >>> Integer.SIZE);
    }

    /** The first hash of the page that has the given one. */
    static long firstHash(long word, long hash) {
        return hash & ~(-1L >>> depth(word));
    }

    /** The last hash of the page that has the given one. */
    static long lastHash(long word, long hash) {
        return hash | (-1L >>> depth(word));
    }
}
