package io.kvstore.value.segment;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The bytes of a value segment: a header, then records without gaps up to the end of the file. A record holds all that is
 * needed to restore its entry. {@code docs/file-formats.md} has a drawing.
 *
 * <p>Padding is a record without a key, and its value is ignored. A sync of a growing segment ends at a multiple of
 * {@link #SYNCED_UNIT_BYTES}, so that later writes touch no unit of the disk that holds durable bytes. A write past the
 * system's cache of files ends at such a multiple too, except at the end of the segment.
 */
public final class ValueSegmentFormat {

    static final FileHeader HEADER = new FileHeader("KVVALUE1", "value segment", 1);

    /** The length of the file header, then table tag u32, file number u64 and a checksum of these two. */
    public static final int HEADER_BYTES = FileHeader.BYTES + 16;

    public static final int RECORD_HEAD_BYTES = 20;

    /** Kind and flags of a value, read as one number. */
    static final int VALUE = 1;

    /** Kind and flags of padding, read as one number. */
    static final int PADDING = 2;

    /** At least the unit that a disk loses or keeps as a whole, and at least the unit of writes past the cache. */
    public static final int SYNCED_UNIT_BYTES = StorageFile.UNCACHED_UNIT_BYTES;

    static final int LENGTH = 4;
    static final int LSN = 8;
    static final int KEY_LENGTH = 16;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private ValueSegmentFormat() {}

    public static long seed(int fileTag, long number) {
        return (long) fileTag << 32 ^ number;
    }

    public static byte[] header(int fileTag, long number) {
        ByteWriter out = new ByteWriter(HEADER_BYTES);
        HEADER.write(out, 0);
        out.u32(fileTag).u64(number).checksumFrom(FileHeader.BYTES);
        return out.toArray();
    }

    public static void checkHeader(byte[] bytes, String file, int fileTag, long number) {
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

    public static long recordBytes(int keyLength, int valueLength) {
        return (long) RECORD_HEAD_BYTES + keyLength + valueLength;
    }

    /** The length of the padding at an offset; 0 if none is needed. */
    public static int paddingBytes(long offset) {
        int beyond = (int) (offset % SYNCED_UNIT_BYTES);
        int missing = beyond == 0 ? 0 : SYNCED_UNIT_BYTES - beyond;
        return missing == 0 || missing >= RECORD_HEAD_BYTES ? missing : missing + SYNCED_UNIT_BYTES;
    }

    static int checksum(byte[] record, int at) {
        return (int) INT.get(record, at);
    }

    static int valueLength(byte[] record, int at) {
        return (int) INT.get(record, at + LENGTH);
    }

    static long lsn(byte[] record, int at) {
        return (long) LONG.get(record, at + LSN);
    }

    static int keyLength(byte[] record, int at) {
        return (int) INT.get(record, at + KEY_LENGTH) & 0xFFFF;
    }

    static int kindAndFlags(byte[] record, int at) {
        return (int) INT.get(record, at + KEY_LENGTH) >>> Short.SIZE;
    }
}
