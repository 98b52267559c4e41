package io.kvstore.sealed.format;

import io.kvstore.data.KeyOrder;

/**
 * The front of a record: a checksum, seeded by file and offset, and the lengths of key and value as varints. Key and value
 * follow. A front that was read is one number, because each get reads one.
 */
public final class RecordHead {

    /** The longest front: the checksum, a key's length in 3 bytes and a value's in 5. */
    public static final int MOST_BYTES = Integer.BYTES + 3 + 5;

    /** A value of a sealed file is not longer. */
    public static final int MOST_VALUE_BYTES = 1 << 30;

    /** No front. */
    public static final long NONE = -1;

    private static final int KEY_SHIFT = 32;
    private static final int BYTES_SHIFT = 56;
    private static final int MOST_GROUPS = 5;

    private RecordHead() {}

    /**
     * Reads the front of a record from an array.
     *
     * @param checksumBytes bytes of the checksum, which are not read
     * @param end of the bytes that are there
     * @return {@link #NONE} if there is none, or it ends behind the bytes
     */
    public static long read(byte[] array, int at, int checksumBytes, int end) {
        int next = at + checksumBytes;
        long keyBytes = varint(array, next, end);
        if (keyBytes < 0 || keyBytes > KeyOrder.MAX_KEY_BYTES) {
            return NONE;
        }
        next += groups(keyBytes);
        long valueBytes = varint(array, next, end);
        if (valueBytes < 0 || valueBytes > MOST_VALUE_BYTES) {
            return NONE;
        }
        next += groups(valueBytes);
        return of(next - at, keyBytes, valueBytes);
    }

    /** A front of so many bytes. */
    public static long of(int bytes, long keyBytes, long valueBytes) {
        return (long) bytes << BYTES_SHIFT | keyBytes << KEY_SHIFT | valueBytes;
    }

    private static long varint(byte[] array, int from, int end) {
        long value = 0;
        for (int at = from; at < end && at < from + MOST_GROUPS; at++) {
            int group = array[at];
            value |= (long) (group & 0x7F) << (7 * (at - from));
            if (group >= 0) {
                return group == 0 && at > from ? NONE : value;
            }
        }
        return NONE;
    }

    /** How many bytes a varint takes. */
    public static int groups(long value) {
        return (Long.SIZE - Long.numberOfLeadingZeros(value | 1) + 6) / 7;
    }

    /** Length of the front. */
    public static int bytes(long head) {
        return (int) (head >>> BYTES_SHIFT);
    }

    public static int keyBytes(long head) {
        return (int) (head >>> KEY_SHIFT) & 0xFFFF;
    }

    public static int valueBytes(long head) {
        return (int) head;
    }

    /** Length of the record. */
    public static long recordBytes(long head) {
        return (long) bytes(head) + keyBytes(head) + valueBytes(head);
    }
}
