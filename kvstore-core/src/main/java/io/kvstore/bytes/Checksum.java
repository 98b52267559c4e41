package io.kvstore.bytes;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32C, the one checksum of every format. A seeded checksum is XORed with a hash of two numbers that say where the bytes
 * belong, such as file id and page number. So bytes that were written to the wrong place do not pass.
 */
public final class Checksum {

    private Checksum() {}

    public static int of(byte[] bytes) {
        return of(bytes, 0, bytes.length);
    }

    public static int of(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** The checksum of the remaining bytes of a buffer. The position of the buffer stays. */
    public static int of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    public static int of(MemorySegment bytes, long offset, long length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.asSlice(offset, length).asByteBuffer());
        return (int) crc.getValue();
    }

    /** The checksum of a part of an array that belongs to a place. */
    public static int seeded(long first, long second, byte[] bytes, int offset, int length) {
        return of(bytes, offset, length) ^ seed(first, second);
    }

    /** The checksum of the remaining bytes of a buffer that belong to a place. The position of the buffer stays. */
    public static int seeded(long first, long second, ByteBuffer bytes) {
        return of(bytes) ^ seed(first, second);
    }

    /** The checksum of bytes that belong to a place and were added to {@code crc}. Takes no memory. */
    public static int seeded(long first, long second, CRC32C crc) {
        return (int) crc.getValue() ^ seed(first, second);
    }

    /** The checksum of a part of an array followed by a part of another array. Both parts belong to one place. */
    public static int seeded(long first, long second, Slice bytes, Slice more) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), bytes.offset(), bytes.length());
        crc.update(more.array(), more.offset(), more.length());
        return (int) crc.getValue() ^ seed(first, second);
    }

    /** Mixes two numbers into 32 bits, each of which depends on all bits of both. The constants are those of MurmurHash3. */
    static int seed(long first, long second) {
        long mixed = first * 0x87C37B91114253D5L ^ Long.rotateLeft(second * 0x4CF5AD432745937FL, 31) + 0x52DCE729L;
        mixed = (mixed ^ mixed >>> 33) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CEB9FE1A85EC53L;
        return (int) (mixed >>> Integer.SIZE);
    }
}
