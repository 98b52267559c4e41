package io.kvstore.bplus.pending;

/**
 * When a layer of a {@link ChangeBuffer} ends, and how many there may be. With the lock for putting, if nothing else is said.
 */
final class LayerBounds {

    /** Of full layers and the one that grows; more only where they are smaller. */
    private static final int MOST_LAYERS = 3;

    private static final int MOST_SMALL_LAYERS = 8;

    private static final long MOST_BYTES = 16 << 20;
    private static final long LEAST_BYTES = 16 << 10;

    /** The heap of a layer is at most this part of the largest size of the page buffer. */
    private static final int BUFFER_PART = 8;

    /** And at most this part of the memory for the changes of all tables. */
    private static final int SHARE_PART = 4;

    /** Removals may go on in a layer up to so many times its bounds while no merge finds room on the disk. */
    private static final int SPARE_PARTS = 4;

    private final ChangeLayers layers;
    private final LayerMerge merge;
    private final ChangeBuffer.Sizes sizes;
    private final long mostBytes;

    /** @param mostChangesBytes what the changes of all tables of the store may have */
    LayerBounds(ChangeLayers layers, LayerMerge merge, ChangeBuffer.Sizes sizes, long mostChangesBytes) {
        this.layers = layers;
        this.merge = merge;
        this.sizes = sizes;
        long share = Math.min(sizes.bufferBytes() / BUFFER_PART, mostChangesBytes / SHARE_PART);
        this.mostBytes = Math.clamp(share, LEAST_BYTES, MOST_BYTES);
    }

    /** The heap that a layer should have at most. */
    long mostBytes() {
        return mostBytes;
    }

    /**
     * Whether the layer that grows ends before an operation. One that only removes brings no values, so those in the layer do
     * not end it.
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

    /** Whether removals may go on in the layer that grows, beyond its bounds. */
    boolean hasSpare() {
        ChangeLayer layer = layers.growing();
        return layer == null
                || (layer.size() < SPARE_PARTS * merge.mostChanges() && layer.heldBytes() < SPARE_PARTS * mostBytes);
    }

    /**
     * Whether there are so many layers that writers wait. Small ones may be more, for they take no longer to merge than few
     * large ones. For any thread, as of a moment ago.
     *
     * @param another whether one more is to begin
     */
    boolean isCrowded(boolean another) {
        boolean areLarge = another && layers.takenBytes() >= (MOST_LAYERS - 1) * mostBytes;
        return layers.count() >= (areLarge ? MOST_LAYERS : MOST_SMALL_LAYERS);
    }
}
