package io.kvstore.lsm.sstable;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The buffers for reading one block, kept for the next reader. */
public final class BlockScratch {

    private static final int KEPT_BYTES = 64 << 10;

    private final DataBlock block = new DataBlock();
    private byte[] buffer = new byte[8 << 10];

    BlockScratch() {}

    DataBlock block() {
        return block;
    }

    byte[] buffer(int length) {
        if (buffer.length < length) {
            buffer = new byte[length];
        }
        return buffer;
    }

    /** A few scratches. A reader that finds none makes its own. */
    public static final class Pool {

        private static final int SLOTS = 16;
        private static final int STRIDE = 16;

        private final AtomicReferenceArray<@Nullable BlockScratch> slots = new AtomicReferenceArray<>(SLOTS * STRIDE);

        BlockScratch take() {
            BlockScratch kept = slots.getAndSet(slot(), null);
            return kept == null ? new BlockScratch() : kept;
        }

        void give(BlockScratch scratch) {
            if (Math.max(scratch.buffer.length, scratch.block.unpackBytes()) <= KEPT_BYTES) {
                slots.setRelease(slot(), scratch);
            }
        }

        private static int slot() {
            return (int) (Thread.currentThread().threadId() & (SLOTS - 1)) * STRIDE;
        }
    }
}
