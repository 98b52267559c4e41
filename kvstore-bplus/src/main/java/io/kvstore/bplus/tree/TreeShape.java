package io.kvstore.bplus.tree;

/**
 * How a tree is to look.
 *
 * @param order the most entries of a page
 * @param thresholdBytes values of so many bytes or more are kept apart
 */
public record TreeShape(int order, int thresholdBytes) {

    /** Longer values are kept apart, whatever the threshold. */
    public static final int MAX_INLINE_BYTES = 1_024;

    public int leastApartBytes() {
        return Math.min(thresholdBytes, MAX_INLINE_BYTES + 1);
    }
}
