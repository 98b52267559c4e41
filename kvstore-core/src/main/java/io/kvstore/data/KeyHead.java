package io.kvstore.data;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The first eight bytes of a key as one number, with zeros behind a shorter key. Unequal heads, compared as unsigned numbers,
 * order their keys. Keys with equal heads are ordered by their bytes from the ninth on, and then by their lengths.
 */
public final class KeyHead {

    /** Number of bytes of a key that its head holds. */
    public static final int BYTES = Long.BYTES;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private KeyHead() {}

    /** The head of the key in {@code bytes} from {@code start} to {@code end}. */
    public static long of(byte[] bytes, int start, int end) {
        if (end - start >= BYTES) {
            return (long) LONG.get(bytes, start);
        }
        long head = 0;
        for (int i = start; i < end; i++) {
            head |= (bytes[i] & 0xFFL) << (56 - 8 * (i - start));
        }
        return head;
    }

    public static long of(byte[] key) {
        return of(key, 0, key.length);
    }
}
