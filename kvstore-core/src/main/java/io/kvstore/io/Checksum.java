package io.kvstore.io;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32C, the one checksum of every format. A seeded checksum begins with two numbers that say where the bytes belong, such
 * as file id and page number; so bytes that were written to the wrong place do not pass.
 */
public final class Checksum {

    private Checksum() {}

    /** The checksum of a whole array. */
    public static int of(byte[] bytes) {
        return of(bytes, 0, bytes.length);
    }

    /** The checksum of a part of an array. */
    public static int of(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** The checksum of what remains of a buffer, whose position stays. */
    public static int of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /** The checksum of a part of a segment. */
    public static int of(MemorySegment bytes, long offset, long length) {
        return of(bytes.asSlice(offset, length).asByteBuffer());
    }

    /** The checksum of two numbers and then a part of an array. */
    public static int seeded(long first, long second, byte[] bytes, int offset, int length) {
        CRC32C crc = seeded(first, second);
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** The checksum of two numbers and then what remains of a buffer, whose position stays. */
    public static int seeded(long first, long second, ByteBuffer bytes) {
        CRC32C crc = seeded(first, second);
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    private static CRC32C seeded(long first, long second) {
        CRC32C crc = new CRC32C();
        update(crc, first);
        update(crc, second);
        return crc;
    }

    private static void update(CRC32C crc, long number) {
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (number >>> shift) & 0xFF);
        }
    }
}
