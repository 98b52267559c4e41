package io.kvstore.server.thrift;

import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Keeps large buffers that were used, for the next use. Their memory passed through the processor's cache lately, and its pages
 * need not be cleared. Sizes are powers of two, and a few buffers of each size are kept. Safe for use by several threads.
 */
final class BufferPool {

    /** The smallest size is 128 KiB, the largest 2 MiB. */
    private static final int LEAST_SHIFT = 17;

    private static final int SIZES = 5;
    private static final int KEPT_OF_EACH = 4;

    private final List<Kept> bySize =
            IntStream.range(0, SIZES).mapToObj(size -> new Kept()).toList();

    /** Buffers of one size. */
    private static final class Kept {
        private final Deque<byte[]> buffers = new ConcurrentLinkedDeque<>();
        private final AtomicInteger count = new AtomicInteger();
    }

    /** The size of a buffer for the given number of bytes. Beyond the largest size it is exactly that number. */
    static int sizeFor(int bytes) {
        int size = Math.max(LEAST_SHIFT, Integer.SIZE - Integer.numberOfLeadingZeros(bytes - 1));
        return size < LEAST_SHIFT + SIZES ? 1 << size : bytes;
    }

    /** A buffer of a size that {@link #sizeFor} gave. Its content is undefined. */
    byte[] take(int size) {
        int index = index(size);
        byte[] kept = index < 0 ? null : bySize.get(index).buffers.pollFirst();
        if (kept == null) {
            return new byte[size];
        }
        bySize.get(index).count.decrementAndGet();
        return kept;
    }

    /** Gives a buffer back. The caller must not use it any more. */
    void giveBack(byte[] buffer) {
        int index = index(buffer.length);
        if (index < 0) {
            return;
        }
        Kept kept = bySize.get(index);
        if (kept.count.incrementAndGet() <= KEPT_OF_EACH) {
            kept.buffers.addFirst(buffer);
        } else {
            kept.count.decrementAndGet();
        }
    }

    private static int index(int size) {
        int shift = Integer.numberOfTrailingZeros(size);
        boolean pooled = Integer.bitCount(size) == 1 && shift >= LEAST_SHIFT && shift < LEAST_SHIFT + SIZES;
        return pooled ? shift - LEAST_SHIFT : -1;
    }
}
