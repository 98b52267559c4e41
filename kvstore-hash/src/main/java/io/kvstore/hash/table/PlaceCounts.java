package io.kvstore.hash.table;

/** How many old places lie in each segment. Used with the lock of the table. */
final class PlaceCounts {

    private static final int LEAST = 16;
    private static final int SPREAD = 0x9E3779B9;

    /** Low bits of the numbers of segments, and 1; 0 is free. The length is a power of two, twice what is used at least. */
    private int[] segments = new int[LEAST];

    private int[] counts = new int[LEAST];
    private int used;

    /** Has memory for so many more segments. */
    void prepare(int more) {
        if (2 * (used + more) <= segments.length) {
            return;
        }
        int kept = 0;
        for (int count : counts) {
            kept += count > 0 ? 1 : 0;
        }
        int length = Math.max(LEAST, Integer.highestOneBit(2 * (kept + more) - 1) << 1);
        int[] oldSegments = segments;
        int[] oldCounts = counts;
        int[] moreCounts = new int[length];
        segments = new int[length];
        counts = moreCounts;
        used = 0;
        for (int i = 0; i < oldSegments.length; i++) {
            if (oldCounts[i] > 0) {
                add(oldSegments[i] - 1, oldCounts[i]);
            }
        }
    }

    /** Counts places that come or, with a negative number, go. Takes no memory. */
    void add(int segment, int places) {
        int at = at(segment);
        if (segments[at] == 0) {
            segments[at] = segment + 1;
            used++;
        }
        counts[at] += places;
    }

    boolean hasAny(int segment) {
        return counts[at(segment)] > 0;
    }

    private int at(int segment) {
        int at = (segment * SPREAD) >>> (Integer.numberOfLeadingZeros(segments.length) + 1);
        while (segments[at] != 0 && segments[at] != segment + 1) {
            at = (at + 1) & (segments.length - 1);
        }
        return at;
    }
}
