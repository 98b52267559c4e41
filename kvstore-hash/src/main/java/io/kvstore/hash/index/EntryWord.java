package io.kvstore.hash.index;

/**
 * The bits of an entry's word:
 *
 * <pre>
 *   bits  0..25  offset of the record in its segment, in bytes: records have no alignment, and a segment ends at 64 MiB
 *   bits 26..43  low bits of the segment's number
 *   bit  44      spill, in the first word of a line: an entry of this line, or one that passed over it, lies in a later line
 *   bits 45..63  tag: the low bits of the hash
 * </pre>
 *
 * <p>The index does not look into the place, which is offset and segment together. A word without a place is free, whatever its
 * spill bit says. An entry is never mistaken for a free word, even with tag 0 and segment 0: a segment begins with a header, so
 * no record has offset 0.
 */
public final class EntryWord {

    static final int OFFSET_BITS = 26;
    private static final int PLACE_BITS = 44;
    private static final long PLACE = (1L << PLACE_BITS) - 1;
    static final long SPILL = 1L << PLACE_BITS;
    private static final int TAG_SHIFT = PLACE_BITS + 1;

    /** The bits of a hash that the index has: the first 32 and those of the tag. */
    static final long HASH_BITS = -1L << Integer.SIZE | -1L >>> TAG_SHIFT;

    private EntryWord() {}

    public static long of(long hash, long place) {
        return (hash << TAG_SHIFT) | place;
    }

    /** The bits of the hash that the index has, of which the word has the last ones. */
    public static long hash(int firstBits, long word) {
        return (long) firstBits << Integer.SIZE | tag(word);
    }

    /** Whether it is the word of an entry, without a spill bit. */
    static boolean isRecord(long word) {
        return (word & SPILL) == 0 && hasRecord(word);
    }

    /** Whether its place is one where a record can lie. */
    public static boolean hasRecord(long word) {
        return (word & ((1L << OFFSET_BITS) - 1)) != 0;
    }

    static void checkPlace(long place) {
        if ((place & ~PLACE) != 0 || !hasRecord(place)) {
            throw new IllegalArgumentException("no record lies at place " + Long.toHexString(place));
        }
    }

    public static long place(long word) {
        return word & PLACE;
    }

    /** The low bits of the hash. */
    public static long tag(long word) {
        return word >>> TAG_SHIFT;
    }

    static boolean hasSameTag(long hash, long other) {
        return (hash ^ other) << TAG_SHIFT == 0;
    }

    static boolean isFree(long word) {
        return (word & PLACE) == 0;
    }

    static boolean isSpill(long word) {
        return (word & SPILL) != 0;
    }

    /** Whether it is an entry with the tag of a hash. */
    static boolean fits(long word, long hash) {
        return (word ^ (hash << TAG_SHIFT)) >>> TAG_SHIFT == 0 && (word & PLACE) != 0;
    }

    /** Whether two words are the same but for the spill bit. */
    static boolean isSame(long word, long other) {
        return ((word ^ other) & ~SPILL) == 0;
    }
}
