package io.kvstore.value.segment;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** A few buffers that readers of values take and give back. A reader gets a fresh one if none is kept or it needs more. */
public final class ReadBuffers {

    private static final int KEPT_BYTES = 64 << 10;
    private static final int LEAST_BYTES = 1 << 10;
    private static final int SLOTS = 16;

    /** The distance of two slots, so that they share no cache line. */
    private static final int STRIDE = 16;

    private final AtomicReferenceArray<byte @Nullable []> slots = new AtomicReferenceArray<>(SLOTS * STRIDE);

    /** An array of at least the given length, with any content. */
    byte[] take(int bytes) {
        byte[] kept = bytes > KEPT_BYTES ? null : slots.getAndSet(slot(), null);
        if (kept != null && kept.length >= bytes) {
            return kept;
        }
        int roomy = bytes > KEPT_BYTES ? bytes : Math.max(LEAST_BYTES, Integer.highestOneBit(bytes) << 1);
        return new byte[roomy];
    }

    /** Gives an array back. The caller must not use it again. */
    void give(byte[] buffer) {
        if (buffer.length <= 2 * KEPT_BYTES) {
            slots.setRelease(slot(), buffer);
        }
    }

    private static int slot() {
        return (int) (Thread.currentThread().threadId() & (SLOTS - 1)) * STRIDE;
    }
}
