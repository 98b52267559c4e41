package io.kvstore.value;

/**
 * Follows the values that one cursor reads, in up to eight segments at a time, and tells whether each is near the one before
 * it in its segment. For one thread.
 */
public final class NearValues {

    /** Values within so many bytes of a segment are near each other; larger ones are worth a way of their own. */
    private static final int NEAR_BYTES = 16 << 10;

    private static final int FOLLOWED = 8;

    private final long[] segments = new long[FOLLOWED];
    private final long[] offsets = new long[FOLLOWED];
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

    /** Where the next value is. */
    public Place follow(ValuePointer pointer) {
        int place = 0;
        while (place < used && segments[place] != pointer.segment()) {
            place++;
        }
        Place result;
        if (place < used) {
            boolean isNear = Math.abs(pointer.offset() - offsets[place]) <= NEAR_BYTES;
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
        offsets[place] = pointer.offset();
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
