package io.kvstore.value;

import io.kvstore.io.ByteReader;
import io.kvstore.io.ByteWriter;

/**
 * A value segment, and how much of it is in use.
 *
 * @param info the segment
 * @param liveBytes bytes of the records that are pointed to
 */
public record ValueSegmentUse(ValueSegmentInfo info, long liveBytes) {

    /** Names the segment's file. */
    public long number() {
        return info.number();
    }

    /** Bytes that nothing points to. */
    public long deadBytes() {
        return info.bytes() - liveBytes;
    }

    /** Adds what {@link #read} reads. */
    public void write(ByteWriter out) {
        info.write(out);
        out.varint(liveBytes);
    }

    /** Reads what {@link #write} added, and checks that it makes sense. */
    public static ValueSegmentUse read(ByteReader in) {
        ValueSegmentUse use = new ValueSegmentUse(ValueSegmentInfo.read(in), in.varint());
        if (use.liveBytes < 1 || use.liveBytes > use.info.bytes() - ValueSegmentFormat.HEADER_BYTES) {
            throw in.corrupt("value segment " + use.number() + " cannot have " + use.liveBytes + " bytes in use");
        }
        return use;
    }
}
