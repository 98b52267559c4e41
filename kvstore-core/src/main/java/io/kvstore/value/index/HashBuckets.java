package io.kvstore.value.index;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The buckets of a {@link HashIndex} of one size, and a bit for each bucket that says whether it is lossy. The writer sets the
 * bits, any thread reads them.
 */
final class HashBuckets {

    /** The size of a cache line. */
    static final int BUCKET_BYTES = 64;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final MemorySegment memory;

    /** Selects the bits of a hash that choose the bucket. */
    private final long mask;

    private final long[] lossy;
    private volatile boolean filled;

    HashBuckets(MemorySegment memory, long count) {
        this.memory = memory;
        this.mask = count - 1;
        this.lossy = new long[(int) ((count + Long.SIZE - 1) / Long.SIZE)];
    }

    MemorySegment memory() {
        return memory;
    }

    boolean isEmpty() {
        return memory.byteSize() == 0;
    }

    long bucketOf(long hash) {
        return (hash & mask) * BUCKET_BYTES;
    }

    /** Marks the bucket as lossy: it no longer has an entry for each of its keys. */
    void lose(long hash) {
        long bucket = hash & mask;
        int word = (int) (bucket / Long.SIZE);
        WORD.setOpaque(lossy, word, lossy[word] | 1L << bucket);
    }

    boolean isLossy(long hash) {
        long bucket = hash & mask;
        return ((long) WORD.getOpaque(lossy, (int) (bucket / Long.SIZE)) >>> bucket & 1) != 0;
    }

    /** Notes that every key of the table was put, or its bucket marked as lossy. */
    void filled() {
        filled = true;
    }

    boolean isFilled() {
        return filled;
    }
}
