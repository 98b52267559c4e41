package io.kvstore.bplus.tree;

/**
 * The limits that give a tree its shape.
 *
 * @param order the most entries of a page
 * @param thresholdBytes values of at least this many bytes are kept apart
 */
public record TreeShape(int order, int thresholdBytes) {

    /** Longer values are kept apart, whatever the threshold. */
    public static final int MAX_INLINE_BYTES = 1_024;

    public int leastApartBytes() {
        return Math.min(thresholdBytes, MAX_INLINE_BYTES + 1);
    }
}
