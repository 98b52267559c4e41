package io.kvstore.bytes;

import io.kvstore.error.CorruptionException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.Objects;

/**
 * Reads the output of a {@link ByteWriter} from a part of an array. Whatever the bytes are, the reader reads nothing outside
 * that part, and allocates no more bytes than remain in it. A failure is a {@link CorruptionException} that names file and
 * offset.
 */
public final class ByteReader {

    private static final VarHandle SHORT = handle(short[].class);
    private static final VarHandle INT = handle(int[].class);
    private static final VarHandle LONG = handle(long[].class);

    private final String file;
    private final long fileOffset;
    private final byte[] bytes;
    private final int start;
    private final int end;
    private int at;

    /** @param bytes the file from its first byte on */
    public ByteReader(String file, byte[] bytes) {
        this(file, 0, bytes, 0, bytes.length);
    }

    /** @param fileOffset the offset in the file at which the part of the array begins */
    public ByteReader(String file, long fileOffset, byte[] bytes, int start, int length) {
        this.file = file;
        this.fileOffset = fileOffset;
        this.bytes = bytes;
        this.start = start;
        this.end = Objects.checkFromIndexSize(start, length, bytes.length) + length;
        this.at = start;
    }

    private static VarHandle handle(Class<?> type) {
        return MethodHandles.byteArrayViewVarHandle(type, ByteOrder.LITTLE_ENDIAN);
    }

    public int u8() {
        return bytes[advance(1)] & 0xFF;
    }

    /** Reads 16 bits, not negative. */
    public int u16() {
        return (short) SHORT.get(bytes, advance(Short.BYTES)) & 0xFFFF;
    }

    public int u32() {
        return (int) INT.get(bytes, advance(Integer.BYTES));
    }

    public long u64() {
        return (long) LONG.get(bytes, advance(Long.BYTES));
    }

    /** Reads numbers of 32 bits into the beginning of an array. */
    public void ints(int[] into, int count) {
        int from = advance(Math.multiplyExact(count, Integer.BYTES));
        ByteBuffer part = ByteBuffer.wrap(bytes, from, count * Integer.BYTES);
        part.order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(into, 0, count);
    }

    /** Reads a number in 7-bit groups. A form that is longer than needed is damage. */
    public long varint() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            int group = u8();
            value |= (long) (group & 0x7F) << shift;
            if (group < 0x80) {
                if ((group == 0 && shift > 0) || (shift == 63 && group > 1)) {
                    throw corrupt("a number is not in its shortest form");
                }
                return value;
            }
        }
        throw corrupt("a number is longer than 10 bytes");
    }

    /** Reads a varint that counts bytes, or items of at least one byte each. A count above the remaining bytes is damage. */
    public int count() {
        long count = varint();
        if (count < 0 || count > remaining()) {
            throw corrupt("a count is " + Long.toUnsignedString(count) + ", but " + remaining() + " bytes remain");
        }
        return (int) count;
    }

    public byte[] raw(int length) {
        int from = advance(length);
        return Arrays.copyOfRange(bytes, from, from + length);
    }

    /** Reads a varint length, and then bytes of that length into a new array. */
    public byte[] sized() {
        return raw(count());
    }

    /** Reads a {@link #sized} UTF-8 text. */
    public String text() {
        int length = count();
        int from = advance(length);
        try {
            return Utf8Text.chars(bytes, from, length).toString();
        } catch (CharacterCodingException e) {
            throw corrupt("a text is not UTF-8");
        }
    }

    public void skip(int length) {
        advance(length);
    }

    /** Reads a checksum. It must be the checksum of the bytes of the part from {@code from} up to the checksum itself. */
    public void checksumFrom(int from) {
        int actual = Checksum.of(bytes, start + from, at - start - from);
        if (u32() != actual) {
            throw corrupt("checksum mismatch");
        }
    }

    public void end() {
        if (remaining() != 0) {
            throw corrupt(remaining() + " bytes too many");
        }
    }

    /** Number of bytes that were read or skipped in the part. */
    public int position() {
        return at - start;
    }

    public int remaining() {
        return end - at;
    }

    /** A failure that names the file and the offset up to which it was read. */
    public CorruptionException corrupt(String message) {
        return new CorruptionException(file, fileOffset + position(), message);
    }

    private int advance(int length) {
        if (length < 0 || length > remaining()) {
            throw corrupt("ends here; " + length + " bytes wanted, " + remaining() + " left");
        }
        int from = at;
        at += length;
        return from;
    }
}
