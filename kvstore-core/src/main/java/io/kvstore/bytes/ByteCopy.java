package io.kvstore.bytes;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies between arrays, memory segments and buffers. A few bytes, such as those of most keys, are copied by a loop in place: a
 * call of the general copy takes several times as long. Where a range does not lie within both, a part of it may have been
 * copied.
 */
public final class ByteCopy {

    /** The most bytes that are copied in place. */
    static final int FEW = 64;

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final VarHandle ARRAY_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle ARRAY_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private ByteCopy() {}

    /** Copies from an array to a memory segment. */
    public static void toSegment(byte[] source, int from, MemorySegment target, long at, int length) {
        if (length > FEW) {
            MemorySegment.copy(source, from, target, BYTE, at, length);
            return;
        }
        int done = 0;
        for (; done + Long.BYTES <= length; done += Long.BYTES) {
            target.set(LONG, at + done, (long) ARRAY_LONG.get(source, from + done));
        }
        if (done + Integer.BYTES <= length) {
            target.set(INT, at + done, (int) ARRAY_INT.get(source, from + done));
            done += Integer.BYTES;
        }
        for (; done < length; done++) {
            target.set(BYTE, at + done, source[from + done]);
        }
    }

    /** Moves as many bytes of a buffer as another one has room for. Returns their number. */
    public static int fill(ByteBuffer target, ByteBuffer source) {
        int length = Math.min(source.remaining(), target.remaining());
        target.put(target.position(), source, source.position(), length);
        target.position(target.position() + length);
        source.position(source.position() + length);
        return length;
    }

    /** Copies from a memory segment to an array. */
    public static void toArray(MemorySegment source, long from, byte[] target, int at, int length) {
        if (length > FEW) {
            MemorySegment.copy(source, BYTE, from, target, at, length);
            return;
        }
        int done = 0;
        for (; done + Long.BYTES <= length; done += Long.BYTES) {
            ARRAY_LONG.set(target, at + done, source.get(LONG, from + done));
        }
        if (done + Integer.BYTES <= length) {
            ARRAY_INT.set(target, at + done, source.get(INT, from + done));
            done += Integer.BYTES;
        }
        for (; done < length; done++) {
            target[at + done] = source.get(BYTE, from + done);
        }
    }
}
