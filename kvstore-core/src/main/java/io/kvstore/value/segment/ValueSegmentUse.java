package io.kvstore.value.segment;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;

/** A value segment, and how many of its bytes are alive: those of the records that are pointed to. */
public record ValueSegmentUse(ValueSegmentInfo info, long liveBytes) {

    public long number() {
        return info.number();
    }

    public long deadBytes() {
        return info.bytes() - liveBytes;
    }

    public void write(ByteWriter out) {
        info.write(out);
        out.varint(liveBytes);
    }

    /** Reads the form that {@link #write} writes, and checks that the numbers are consistent. */
    public static ValueSegmentUse read(ByteReader in) {
        ValueSegmentUse use = new ValueSegmentUse(ValueSegmentInfo.read(in), in.varint());
        if (use.liveBytes < 1 || use.liveBytes > use.info.bytes() - ValueSegmentFormat.HEADER_BYTES) {
            throw in.corrupt("value segment " + use.number() + " cannot have " + use.liveBytes + " bytes in use");
        }
        return use;
    }
}
