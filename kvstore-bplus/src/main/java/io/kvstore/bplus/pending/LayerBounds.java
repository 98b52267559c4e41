package io.kvstore.bplus.pending;

/**
 * Decides when a layer of a {@link ChangeBuffer} is sealed, and how many layers there may be. Methods are called with the lock
 * for putting, unless they say otherwise.
 */
final class LayerBounds {

    /** The most layers, with the one that grows. There may be more only if they are small. */
    private static final int MOST_LAYERS = 3;

    private static final int MOST_SMALL_LAYERS = 8;

    private static final long MOST_BYTES = 16 << 20;
    private static final long LEAST_BYTES = 16 << 10;

    /** The heap of a layer is at most this part of the largest size of the page buffer. */
    private static final int BUFFER_PART = 8;

    /** The heap of a layer is also at most this part of the memory for the changes of all tables. */
    private static final int SHARE_PART = 4;

    /** While no merge finds room on the disk, removals may go on in a layer up to this many times its bounds. */
    private static final int SPARE_PARTS = 4;

    private final ChangeLayers layers;
    private final LayerMerge merge;
    private final ChangeBuffer.Sizes sizes;
    private final long mostBytes;

    /** @param mostChangesBytes the most bytes that the changes of all tables of the store may take */
    LayerBounds(ChangeLayers layers, LayerMerge merge, ChangeBuffer.Sizes sizes, long mostChangesBytes) {
        this.layers = layers;
        this.merge = merge;
        this.sizes = sizes;
        long share = Math.min(sizes.bufferBytes() / BUFFER_PART, mostChangesBytes / SHARE_PART);
        this.mostBytes = Math.clamp(share, LEAST_BYTES, MOST_BYTES);
    }

    long mostBytes() {
        return mostBytes;
    }

    /**
     * Whether the growing layer is to be sealed before an operation. An operation that only removes brings no values, so the
     * values in the layer do not count for it.
     */
    boolean isFull(boolean removesOnly) {
        ChangeLayer layer = layers.growing();
        return layer != null
                && (layer.size() >= merge.mostChanges()
                        || layer.heldBytes() >= mostBytes
                        || (!removesOnly && bringsMuch(layer.valueBytes())));
    }

    private boolean bringsMuch(long valueBytes) {
        return valueBytes >= sizes.leastLayerValueBytes()
                && valueBytes >= sizes.mostLayerValueBytes().getAsLong();
    }

    /** Whether removals may go on in the growing layer, beyond its bounds. */
    boolean hasSpare() {
        ChangeLayer layer = layers.growing();
        return layer == null
                || (layer.size() < SPARE_PARTS * merge.mostChanges() && layer.heldBytes() < SPARE_PARTS * mostBytes);
    }

    /**
     * Whether there are too many layers, so that writers wait. There may be more small layers, for they take no longer to merge
     * than a few large ones. For any thread, as of a moment ago.
     *
     * @param another whether one more layer is to begin
     */
    boolean isCrowded(boolean another) {
        boolean areLarge = another && layers.takenBytes() >= (MOST_LAYERS - 1) * mostBytes;
        return layers.count() >= (areLarge ? MOST_LAYERS : MOST_SMALL_LAYERS);
    }
}
