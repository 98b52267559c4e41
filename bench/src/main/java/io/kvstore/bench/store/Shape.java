package io.kvstore.bench.store;

import java.nio.ByteBuffer;
import java.util.Random;

/** The form of entries. The entry of a number is always the same, so nobody has to remember the entries that were written. */
public enum Shape {
    /** Keys of 12 bytes, values of 500 bytes. Half of a value can be compressed. */
    WIDE(12, 500),
    /** Keys and values of 8 bytes. */
    NARROW(8, 8),
    /** Keys of 8 bytes, values of 100. */
    SHORT(8, 100),
    /** Keys of 12 bytes, values of 4 KiB. */
    PAGE(12, 4 << 10),
    /** Keys of 12 bytes, values of 64 KiB. */
    PICTURE(12, 64 << 10),
    /** Keys of 500 bytes that differ in the first twelve, and values like those of {@link #WIDE}. */
    LONG(500, 500);

    private static final int POOL_BYTES = 1 << 20;
    private static final byte[] POOL = pool();

    private final int keyBytes;
    private final int valueBytes;

    Shape(int keyBytes, int valueBytes) {
        this.keyBytes = keyBytes;
        this.valueBytes = valueBytes;
    }

    public int keyBytes() {
        return keyBytes;
    }

    public int valueBytes() {
        return valueBytes;
    }

    public int entryBytes() {
        return keyBytes + valueBytes;
    }

    /** Writes the key of an entry into an array. The keys of consecutive numbers are in no order, and no two keys are equal. */
    public void fillKey(long number, byte[] key) {
        fillKey(mix(number), number, key);
    }

    /** Writes a key into an array. It is behind the keys of all lower numbers. */
    void fillOrderedKey(long number, byte[] key) {
        fillKey(number, number, key);
    }

    private static void fillKey(long first, long number, byte[] key) {
        ByteBuffer buffer = ByteBuffer.wrap(key).putLong(first);
        if (buffer.remaining() >= Integer.BYTES) {
            buffer.putInt((int) number);
            buffer.put(POOL, 0, buffer.remaining());
        }
    }

    /** Writes the value of an entry into an array. Its first byte is the first byte of the key. */
    public void fillValue(long number, byte[] value) {
        long mixed = mix(number);
        if (this != NARROW) {
            System.arraycopy(POOL, (int) (mixed >>> 1) & (POOL_BYTES / 2 - 1), value, 0, valueBytes / 2);
            value[0] = (byte) (mixed >>> 56);
        } else {
            ByteBuffer.wrap(value).putLong(mixed);
        }
    }

    /** Whether a value can be that of a key. This check costs next to nothing. */
    public boolean fits(byte[] key, byte[] value) {
        return key.length == keyBytes && value.length == valueBytes && value[0] == key[0];
    }

    /** The finalizer of SplitMix64. It is one to one, and its results are in no order. */
    public static long mix(long given) {
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
