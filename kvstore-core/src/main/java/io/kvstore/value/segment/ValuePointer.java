package io.kvstore.value.segment;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Where a value is kept. The written form is three varints, 3 to 20 bytes. The reader of a value knows its key and lsn too,
 * and they must be those of the record.
 *
 * @param segment the segment's number in its table
 * @param offset of the record in the segment
 */
public record ValuePointer(long segment, long offset, int valueLength) {

    public void write(ByteWriter out) {
        out.varint(segment).varint(offset).varint(valueLength);
    }

    /** Reads a pointer that takes all remaining bytes. */
    public static ValuePointer read(ByteReader in) {
        long segment = in.varint();
        long offset = in.varint();
        long length = in.varint();
        if (segment < 1 || offset < ValueSegmentFormat.HEADER_BYTES || length < 0 || length > Integer.MAX_VALUE) {
            throw in.corrupt("a pointer to a value leads nowhere");
        }
        in.end();
        return new ValuePointer(segment, offset, (int) length);
    }

    /**
     * Reads a pointer that takes the given number of bytes of a page. The page may change meanwhile; then the result may be
     * any pointer, but nothing else goes wrong.
     *
     * @throws IndexOutOfBoundsException if the bytes are not a pointer
     */
    public static ValuePointer read(MemorySegment page, long offset, int bytes) {
        long[] numbers = new long[3];
        long at = offset;
        for (int i = 0; i < numbers.length; i++) {
            int shift = 0;
            byte group;
            do {
                group = page.get(ValueLayout.JAVA_BYTE, at++);
                numbers[i] |= (group & 0x7FL) << shift;
                shift += 7;
            } while (group < 0 && shift < Long.SIZE);
        }
        boolean isPointer = at == offset + bytes
                && numbers[0] > 0
                && numbers[1] >= ValueSegmentFormat.HEADER_BYTES
                && numbers[2] >= 0
                && numbers[2] <= Integer.MAX_VALUE;
        if (!isPointer) {
            throw new IndexOutOfBoundsException("a pointer to a value leads nowhere");
        }
        return new ValuePointer(numbers[0], numbers[1], (int) numbers[2]);
    }

    /** Whether such a read of bytes that do not change gives a pointer. Takes no memory. */
    public static boolean isAt(MemorySegment page, long offset, int bytes) {
        long at = offset;
        boolean isPointer = true;
        for (int i = 0; i < 3; i++) {
            long number = 0;
            int shift = 0;
            byte group;
            do {
                group = at < offset + bytes ? page.get(ValueLayout.JAVA_BYTE, at) : 0;
                at++;
                number |= (group & 0x7FL) << shift;
                shift += 7;
            } while (group < 0 && shift < Long.SIZE);
            long least = i == 0 ? 1 : i == 1 ? ValueSegmentFormat.HEADER_BYTES : 0;
            boolean isShortest = group > 0 || shift == 7; // as a reader of numbers wants it
            isPointer &= isShortest && number >= least && (i < 2 || number <= Integer.MAX_VALUE);
        }
        return isPointer && at == offset + bytes;
    }

    /** The length of the value's record, with its head and key. */
    public long recordBytes(int keyLength) {
        return recordBytes(keyLength, valueLength);
    }

    /** The length of the record of a value of the given length, with its head and key. */
    public static long recordBytes(int keyLength, int valueLength) {
        return ValueSegmentFormat.recordBytes(keyLength, valueLength);
    }
}
