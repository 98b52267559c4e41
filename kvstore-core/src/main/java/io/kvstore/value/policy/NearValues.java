package io.kvstore.value.policy;

import io.kvstore.value.segment.ValuePointer;

/**
 * Follows the values that one cursor reads, in up to eight segments at a time. Tells of each value whether it is near the
 * value that was read before it in the same segment. For one thread.
 */
public final class NearValues {

    /** Values with at most this many bytes of a segment between them are near each other. A longer value always is near. */
    private static final int NEAR_BYTES = 16 << 10;

    private static final int FOLLOWED = 8;

    private final long[] segments = new long[FOLLOWED];
    private final long[] begins = new long[FOLLOWED];
    private final long[] ends = new long[FOLLOWED];
    private int used;
    private int oldest;
    private int far;

    /** Where a value is, compared with the value before it in its segment. */
    public enum Place {
        /** Near the value before, so that the processor prefetches it, or so long that its place does not matter. */
        NEAR,
        /** In a segment that was not followed, while there was room to follow one more. */
        FIRST,
        /** Far from the value before, or in a segment for which another one had to be given up. */
        FAR
    }

    /** Notes where the next value is, and compares it with the one before. An approximate length of its key is enough. */
    public Place follow(ValuePointer pointer, int keyLength) {
        int place = 0;
        while (place < used && segments[place] != pointer.segment()) {
            place++;
        }
        long begin = pointer.offset();
        long end = begin + pointer.recordBytes(keyLength);
        Place result;
        if (place < used) {
            boolean isNear = begin - ends[place] <= NEAR_BYTES && begins[place] - end <= NEAR_BYTES;
            result = isNear ? Place.NEAR : Place.FAR;
        } else if (used < FOLLOWED) {
            used++;
            result = Place.FIRST;
        } else {
            place = oldest;
            oldest = (oldest + 1) % FOLLOWED;
            result = Place.FAR;
        }
        segments[place] = pointer.segment();
        begins[place] = begin;
        ends[place] = end;
        if (pointer.valueLength() > NEAR_BYTES) {
            return Place.NEAR;
        }
        far += result == Place.FAR ? 1 : 0;
        return result;
    }

    public int far() {
        return far;
    }
}
