package io.kvstore.hash.table;

/**
 * The place of a record: its offset in its segment, and the low bits of the number of the segment. The numbers of the segments
 * that exist lie so near each other that these bits tell them apart.
 */
final class Places {

    /** The place of no record. */
    static final long NONE = 0;

    private static final int OFFSET_BITS = 26;

    /** Segments are at most so long, so that each offset fits. */
    static final long MOST_SEGMENT_BYTES = 1L << OFFSET_BITS;

    /** The numbers of all segments lie within a range of this length. */
    static final long SPAN = 1L << 18;

    private Places() {}

    /** @throws IllegalStateException if the offset does not fit, so that the place would be another one's */
    static long of(long segment, long offset) {
        if (offset >= MOST_SEGMENT_BYTES) {
            throw new IllegalStateException("a record lies at " + offset + ", behind the end of any segment");
        }
        return (segment & (SPAN - 1)) << OFFSET_BITS | offset;
    }

    /** The low bits of the number of the segment. */
    static int segmentBits(long place) {
        return (int) (place >>> OFFSET_BITS);
    }

    static long offset(long place) {
        return place & (MOST_SEGMENT_BYTES - 1);
    }

    /** The number of the segment, which is the first one at or above {@code first} with these low bits. */
    static long segment(long place, long first) {
        return first + ((place >>> OFFSET_BITS) - first & (SPAN - 1));
    }
}
