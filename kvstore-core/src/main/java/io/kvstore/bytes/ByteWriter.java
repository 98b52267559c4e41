package io.kvstore.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A byte array that grows as numbers (little-endian) and bytes are added. {@link ByteReader} is its counterpart. */
public final class ByteWriter {

    private static final VarHandle SHORT = handle(short[].class);
    private static final VarHandle INT = handle(int[].class);
    private static final VarHandle LONG = handle(long[].class);

    private byte[] bytes;
    private int size;

    public ByteWriter() {
        this(256);
    }

    /** @param capacity bytes that it has room for before it grows for the first time */
    public ByteWriter(int capacity) {
        this.bytes = new byte[Math.max(capacity, 16)];
    }

    private static VarHandle handle(Class<?> type) {
        return MethodHandles.byteArrayViewVarHandle(type, ByteOrder.LITTLE_ENDIAN);
    }

    public ByteWriter u8(int value) {
        room(1);
        bytes[size++] = (byte) value;
        return this;
    }

    public ByteWriter u16(int value) {
        room(Short.BYTES);
        SHORT.set(bytes, size, (short) value);
        size += Short.BYTES;
        return this;
    }

    public ByteWriter u32(int value) {
        room(Integer.BYTES);
        INT.set(bytes, size, value);
        size += Integer.BYTES;
        return this;
    }

    public ByteWriter u64(long value) {
        room(Long.BYTES);
        LONG.set(bytes, size, value);
        size += Long.BYTES;
        return this;
    }

    /** Adds a number in 1 to 10 bytes, 7 bits each, lowest first. Small numbers that are not negative are short. */
    public ByteWriter varint(long value) {
        room(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return this;
    }

    public ByteWriter raw(byte[] source) {
        return raw(source, 0, source.length);
    }

    public ByteWriter raw(byte[] source, int offset, int length) {
        room(length);
        System.arraycopy(source, offset, bytes, size, length);
        size += length;
        return this;
    }

    /** Adds the length as a varint, then the bytes. */
    public ByteWriter sized(byte[] source) {
        return varint(source.length).raw(source);
    }

    /** Adds a text as {@link #sized} UTF-8. */
    public ByteWriter text(String text) {
        return sized(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds the checksum of all bytes that were added from {@code start} on. */
    public ByteWriter checksumFrom(int start) {
        return u32(Checksum.of(bytes, start, size - start));
    }

    public void setU32(int offset, int value) {
        if (offset < 0 || offset + Integer.BYTES > size) {
            throw new IndexOutOfBoundsException(offset);
        }
        INT.set(bytes, offset, value);
    }

    public int size() {
        return size;
    }

    /** Forgets the bytes that were added beyond {@code newSize}, and keeps their memory. */
    public void cut(int newSize) {
        if (newSize < 0 || newSize > size) {
            throw new IndexOutOfBoundsException(newSize);
        }
        size = newSize;
    }

    public byte[] toArray() {
        return Arrays.copyOf(bytes, size);
    }

    /** The bytes that were added, not copied. The buffer is valid until the next addition. */
    public ByteBuffer toBuffer() {
        return ByteBuffer.wrap(bytes, 0, size);
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            long wanted = Math.max((long) size + more, Math.min(2L * bytes.length, Integer.MAX_VALUE - 8));
            bytes = Arrays.copyOf(bytes, Math.toIntExact(wanted));
        }
    }
}
