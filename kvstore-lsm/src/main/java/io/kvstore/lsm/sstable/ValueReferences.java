package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import java.util.Arrays;

/**
 * The number of bytes of each value segment that the entries of an SSTable point to. The sum over all SSTables of a table
 * is the number of live bytes of a segment.
 */
public final class ValueReferences {

    private final long[] segments;
    private final long[] bytes;

    private ValueReferences(long[] segments, long[] bytes) {
        this.segments = segments;
        this.bytes = bytes;
    }

    /** Counts pointers. The last segment is checked first, for after a flush many pointers in a row lead to one. */
    static final class Builder {

        private long[] segments = new long[4];
        private long[] bytes = new long[4];
        private int count;
        private int last;

        void add(long segment, long recordBytes) {
            if (last >= count || segments[last] != segment) {
                last = Arrays.binarySearch(segments, 0, count, segment);
                if (last < 0) {
                    last = -last - 1;
                    insert(segment);
                }
            }
            bytes[last] += recordBytes;
        }

        private void insert(long segment) {
            if (count == segments.length) {
                segments = Arrays.copyOf(segments, 2 * count);
                bytes = Arrays.copyOf(bytes, 2 * count);
            }
            System.arraycopy(segments, last, segments, last + 1, count - last);
            System.arraycopy(bytes, last, bytes, last + 1, count - last);
            segments[last] = segment;
            bytes[last] = 0;
            count++;
        }

        ValueReferences build() {
            return new ValueReferences(Arrays.copyOf(segments, count), Arrays.copyOf(bytes, count));
        }
    }

    /** The number of segments. */
    public int size() {
        return segments.length;
    }

    /** The number that names a segment. The numbers ascend. */
    public long segment(int index) {
        return segments[index];
    }

    /** The number of bytes of this segment that are pointed to. */
    public long bytes(int index) {
        return bytes[index];
    }

    /** The number of bytes of all segments that are pointed to. */
    public long bytes() {
        return Arrays.stream(bytes).sum();
    }

    void write(ByteWriter out) {
        out.varint(segments.length);
        for (int i = 0; i < segments.length; i++) {
            out.varint(segments[i]).varint(bytes[i]);
        }
    }

    static ValueReferences read(ByteReader in) {
        int count = in.count();
        long[] segments = new long[count];
        long[] bytes = new long[count];
        for (int i = 0; i < count; i++) {
            segments[i] = in.varint();
            bytes[i] = in.varint();
            if (segments[i] <= (i == 0 ? 0 : segments[i - 1]) || bytes[i] <= 0) {
                throw in.corrupt("the references to value segments are not in order");
            }
        }
        return new ValueReferences(segments, bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ValueReferences that
                && Arrays.equals(segments, that.segments)
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(segments);
    }

    @Override
    public String toString() {
        return Arrays.toString(segments) + " " + Arrays.toString(bytes);
    }
}
