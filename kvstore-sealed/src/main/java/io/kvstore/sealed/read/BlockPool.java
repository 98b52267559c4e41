package io.kvstore.sealed.read;

import io.kvstore.sealed.format.PackedBlock;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** A few blocks whose memory is used again. A reader that finds none makes its own. */
final class BlockPool {

    private static final int SLOTS = 16;

    /** Slots that are side by side would share a line of the cache. */
    private static final int STRIDE = 16;

    private static final int KEPT_BYTES = 128 << 10;

    private final AtomicReferenceArray<@Nullable PackedBlock> slots = new AtomicReferenceArray<>(SLOTS * STRIDE);

    PackedBlock take(PackedBlock.Source source) {
        PackedBlock kept = slots.getAndSet(slot(), null);
        return kept == null ? new PackedBlock(source) : kept;
    }

    void give(PackedBlock block) {
        if (block.keptBytes() <= KEPT_BYTES) {
            slots.setRelease(slot(), block);
        }
    }

    private static int slot() {
        return (int) (Thread.currentThread().threadId() & (SLOTS - 1)) * STRIDE;
    }
}
