package io.kvstore.value;

import io.kvstore.io.ByteReader;
import io.kvstore.io.ByteWriter;

/**
 * What a table's manifest says of a value segment.
 *
 * @param number names the file; never reused in its table
 * @param bytes length of the file
 * @param records values in it, those that nothing points to any more included
 */
public record ValueSegmentInfo(long number, long bytes, long records) {

    /** Adds what {@link #read} reads. */
    public void write(ByteWriter out) {
        out.varint(number).varint(bytes).varint(records);
    }

    /** Reads what {@link #write} added, and checks that it makes sense. */
    public static ValueSegmentInfo read(ByteReader in) {
        ValueSegmentInfo info = new ValueSegmentInfo(in.varint(), in.varint(), in.varint());
        long least = ValueSegmentFormat.HEADER_BYTES + ValueSegmentFormat.RECORD_HEAD_BYTES;
        if (info.number < 1 || info.bytes < least || info.records < 1 || info.records > info.bytes) {
            throw in.corrupt("the description of value segment " + info.number + " contradicts itself");
        }
        return info;
    }
}
