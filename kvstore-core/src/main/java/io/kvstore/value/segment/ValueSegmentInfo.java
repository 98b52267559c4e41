package io.kvstore.value.segment;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;

/**
 * The description of a value segment in a table's manifest.
 *
 * @param number names the file; never reused in its table
 * @param bytes length of the file
 * @param records number of values in it, including values that nothing points to any more
 */
public record ValueSegmentInfo(long number, long bytes, long records) {

    public void write(ByteWriter out) {
        out.varint(number).varint(bytes).varint(records);
    }

    /** Reads the form that {@link #write} writes, and checks that the numbers are consistent. */
    public static ValueSegmentInfo read(ByteReader in) {
        ValueSegmentInfo info = new ValueSegmentInfo(in.varint(), in.varint(), in.varint());
        long least = ValueSegmentFormat.HEADER_BYTES + ValueSegmentFormat.RECORD_HEAD_BYTES;
        if (info.number < 1 || info.bytes < least || info.records < 1 || info.records > info.bytes) {
            throw in.corrupt("the description of value segment " + info.number + " contradicts itself");
        }
        return info;
    }
}
