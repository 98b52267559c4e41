package io.kvstore.bench;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * The entries that every subject is given: keys of 12 bytes in random order, no two alike, and values of 500 bytes of which
 * half can be compressed. One generator for each thread; it fills the same two arrays again and again.
 */
final class Workload {

    static final int KEY_BYTES = 12;
    static final int VALUE_BYTES = 500;

    private static final int POOL_BYTES = 1 << 20;
    private static final byte[] POOL = pool();

    private final byte[] key = new byte[KEY_BYTES];
    private final byte[] value = new byte[VALUE_BYTES];
    private final int thread;
    private long next;

    /** @param thread makes the keys differ from those of other threads */
    Workload(int thread) {
        this.thread = thread;
    }

    /** Goes on to the next entry. */
    void advance() {
        long mixed = mix(next | (long) thread << 40);
        ByteBuffer.wrap(key).putLong(mixed).putInt((int) next);
        System.arraycopy(POOL, (int) (mixed >>> 1) & (POOL_BYTES / 2 - 1), value, 0, VALUE_BYTES / 2);
        next++;
    }

    byte[] key() {
        return key;
    }

    byte[] value() {
        return value;
    }

    /** The finalizer of SplitMix64: one to one, and without order. */
    private static long mix(long given) {
        long z = given + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    private static byte[] pool() {
        byte[] bytes = new byte[POOL_BYTES];
        new Random(42).nextBytes(bytes);
        return bytes;
    }
}
