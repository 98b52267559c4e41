package io.kvstore.codec.zstd;

import com.github.luben.zstd.ZstdDecompressCtx;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A few contexts of the native code that are used again, because making one takes longer than unpacking 4 KiB. A context takes
 * memory outside the heap. So there are few of them for the process, however many files are open. They keep nothing of a frame
 * that the next one sees.
 */
final class DecompressionContexts {

    private static final int SLOTS = 16;

    private final AtomicReferenceArray<@Nullable ZstdDecompressCtx> slots = new AtomicReferenceArray<>(SLOTS);

    /** A context for one thread, which gives it back or closes it. */
    ZstdDecompressCtx take() {
        ZstdDecompressCtx kept = slots.getAndSet(slot(), null);
        return kept == null ? new ZstdDecompressCtx() : kept;
    }

    void give(ZstdDecompressCtx context) {
        ZstdDecompressCtx other = slots.getAndSet(slot(), context);
        if (other != null) {
            other.close();
        }
    }

    private static int slot() {
        return (int) (Thread.currentThread().threadId() & (SLOTS - 1));
    }
}
