package io.kvstore.value.segment;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The value segments that one state of a table points into.
 *
 * @param nextNumber greater than the number of every segment that ever existed
 * @param segments in ascending order of their numbers; each has live bytes
 */
public record ValueSegmentList(long nextNumber, List<ValueSegmentUse> segments) {

    public static final ValueSegmentList EMPTY = new ValueSegmentList(1, List.of());

    /** No more records than this take the bytes that are alive. */
    public long mostRecords() {
        long bytes = 0;
        for (ValueSegmentUse segment : segments) {
            bytes += Math.min(segment.liveBytes(), Long.MAX_VALUE - bytes);
        }
        return bytes / ValueSegmentFormat.RECORD_HEAD_BYTES;
    }

    public byte[] toBytes() {
        ByteWriter out = new ByteWriter();
        out.varint(nextNumber).varint(segments.size());
        segments.forEach(segment -> segment.write(out));
        return out.toArray();
    }

    /** Reads the form that {@link #toBytes} writes. Zeros may follow. */
    public static ValueSegmentList read(ByteReader in) {
        long next = in.varint();
        long count = in.varint();
        if (next < 1 || next > Long.MAX_VALUE / 2 || count < 0) {
            throw in.corrupt("a list of " + count + " value segments cannot have " + next + " as the next one");
        }
        List<ValueSegmentUse> segments = new ArrayList<>();
        long last = 0;
        for (long i = 0; i < count; i++) {
            ValueSegmentUse segment = ValueSegmentUse.read(in);
            if (segment.number() <= last || segment.number() >= next) {
                throw in.corrupt("the list of value segments is out of order at " + segment.number());
            }
            segments.add(segment);
            last = segment.number();
        }
        for (byte rest : in.raw(in.remaining())) {
            if (rest != 0) {
                throw in.corrupt("something lies behind a list of value segments");
            }
        }
        return new ValueSegmentList(next, List.copyOf(segments));
    }
}
