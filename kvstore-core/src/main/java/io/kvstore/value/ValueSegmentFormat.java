package io.kvstore.value;

import io.kvstore.error.CorruptionException;
import io.kvstore.io.ByteReader;
import io.kvstore.io.ByteWriter;
import io.kvstore.io.FileHeader;

/**
 * The bytes of a value segment: a header, then records without gaps up to the end of the file. A record tells all that is
 * needed to bring its entry back:
 *
 * <pre>
 *   0  crc32c       u32 of file seed, offset, and all that follows
 *   4  value length u32
 *   8  lsn          u64 of the write that put the value
 *  16  key length   u16
 *  18  kind         u8, 1; no other is known
 *  19  flags        u8, 0; no other is known
 *  20  key, value
 * </pre>
 */
final class ValueSegmentFormat {

    static final FileHeader HEADER = new FileHeader("KVVALUE1", "value segment", 1);

    /** The file header, then table tag u32, file number u64 and a checksum of these two. */
    static final int HEADER_BYTES = FileHeader.BYTES + 16;

    static final int RECORD_HEAD_BYTES = 20;

    /** Kind and flags of every record, read as one number. */
    static final int KIND_AND_FLAGS = 1;

    private ValueSegmentFormat() {}

    /** The first number that seeds the checksums of a file. */
    static long seed(int fileTag, long number) {
        return (long) fileTag << 32 ^ number;
    }

    static byte[] header(int fileTag, long number) {
        ByteWriter out = new ByteWriter(HEADER_BYTES);
        HEADER.write(out, 0);
        out.u32(fileTag).u64(number).checksumFrom(FileHeader.BYTES);
        return out.toArray();
    }

    static void checkHeader(byte[] bytes, String file, int fileTag, long number) {
        ByteReader in = new ByteReader(file, bytes);
        int flags = HEADER.read(in, file).flags();
        int foundTag = in.u32();
        long foundNumber = in.u64();
        in.checksumFrom(FileHeader.BYTES);
        if (flags != 0 || foundTag != fileTag || foundNumber != number) {
            throw new CorruptionException(
                    file,
                    0,
                    "belongs to table " + foundTag + " as file " + foundNumber + ", not to table " + fileTag
                            + " as file " + number);
        }
    }
}
