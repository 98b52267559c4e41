package io.kvstore.value;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** One size of a {@link HashIndex}: its buckets, and which of them are lossy. The writer marks, any thread asks. */
final class HashBuckets {

    /** A cache line. */
    static final int BUCKET_BYTES = 64;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final MemorySegment memory;

    /** Of the hash's bits that choose the bucket. */
    private final long mask;

    private final long[] lossy;
    private volatile boolean filled;

    HashBuckets(MemorySegment memory, long count) {
        this.memory = memory;
        this.mask = count - 1;
        this.lossy = new long[(int) ((count + Long.SIZE - 1) / Long.SIZE)];
    }

    /** As long as all buckets together. */
    MemorySegment memory() {
        return memory;
    }

    boolean isEmpty() {
        return memory.byteSize() == 0;
    }

    /** Where the bucket for a hash is. */
    long bucketOf(long hash) {
        return (hash & mask) * BUCKET_BYTES;
    }

    /** The bucket does not have an entry for each of its keys from now on. */
    void lose(long hash) {
        long bucket = hash & mask;
        int word = (int) (bucket / Long.SIZE);
        WORD.setOpaque(lossy, word, lossy[word] | 1L << bucket);
    }

    boolean isLossy(long hash) {
        long bucket = hash & mask;
        return ((long) WORD.getOpaque(lossy, (int) (bucket / Long.SIZE)) >>> bucket & 1) != 0;
    }

    /** Every key of the table was put or lost. */
    void filled() {
        filled = true;
    }

    boolean isFilled() {
        return filled;
    }
}
