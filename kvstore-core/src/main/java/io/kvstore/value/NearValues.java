package io.kvstore.value;

/**
 * Follows the values that one cursor reads, in up to eight segments at a time, and tells whether each is near the one before
 * it in its segment. For one thread.
 */
public final class NearValues {

    /** Values with fewer bytes of a segment between them are near each other; larger ones are worth a way of their own. */
    private static final int NEAR_BYTES = 16 << 10;

    private static final int FOLLOWED = 8;

    private final long[] segments = new long[FOLLOWED];
    private final long[] begins = new long[FOLLOWED];
    private final long[] ends = new long[FOLLOWED];
    private int used;
    private int oldest;
    private int far;

    /** Nothing is followed yet. */
    public NearValues() {}

    /** Where a value is. */
    public enum Place {
        /** The processor reads it ahead by itself, or it is so long that it does not matter. */
        NEAR,
        /** In a segment that was not followed, and there was room to follow one more. */
        FIRST,
        /** Somewhere else. */
        FAR
    }

    /**
     * Where the next value is.
     *
     * @param keyLength that of its key, which lies before it; about
     */
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

    /** How many values were {@link Place#FAR}. */
    public int far() {
        return far;
    }
}
