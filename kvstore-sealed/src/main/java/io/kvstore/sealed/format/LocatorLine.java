package io.kvstore.sealed.format;

/**
 * Lines of the locator. A line has eight words, 0 behind those that are used. A word is a tag of 16 bits, a bit, and the place
 * of a record in 47 bits. The bit of a line's first word says whether the line has spilled: then words that belong there lie in
 * the lines behind it. A key's home is the line to which the upper bits of its hash lead, and its tag is the lower bits.
 *
 * <p>Homes ascend with hashes. So a builder that has the hashes in order writes the lines from front to back.
 */
public final class LocatorLine {

    public static final int BYTES = 64;
    public static final int WORDS = BYTES / Long.BYTES;

    /** Records are at smaller offsets, and blocks have smaller numbers. */
    public static final long PLACES = 1L << 47;

    private static final long SPILLED = PLACES;
    private static final int TAG_SHIFT = 48;

    /** Of the words of all homes this share is used. */
    private static final int FILLED_PARTS = 17;

    private static final int PARTS = 20;

    private LocatorLine() {}

    /** How many lines are the home of keys. Behind them are lines to which only others spill. */
    public static long homes(long entries) {
        return (entries * PARTS + FILLED_PARTS * WORDS - 1) / (FILLED_PARTS * WORDS);
    }

    /** The home of a key. */
    public static long home(long hash, long homes) {
        return Math.unsignedMultiplyHigh(hash, homes);
    }

    public static long word(long hash, long place) {
        return (hash << TAG_SHIFT) | place;
    }

    /** Whether a word, which is not 0, may be that of a key. */
    public static boolean isTagged(long word, long hash) {
        return (short) (word >>> TAG_SHIFT) == (short) hash;
    }

    public static long place(long word) {
        return word & (PLACES - 1);
    }

    public static long spilled(long firstWord) {
        return firstWord | SPILLED;
    }

    public static boolean hasSpilled(long firstWord) {
        return (firstWord & SPILLED) != 0;
    }
}
