package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.data.KeyHead;
import io.kvstore.lsm.entry.KeyBuffer;
import java.util.Arrays;

/**
 * The index of a file's data blocks, with the length and the separator of each. A separator is not below the last key of its
 * block. It is below the first key of the next block, unless the versions of one key fill several blocks. The blocks follow one
 * another without gaps. In memory the separators are searched by the eight bytes that follow their common prefix.
 */
final class BlockIndex {

    private final byte[] separators;
    private final int[] starts;
    private final long[] offsets;
    private final int prefixLength;
    private final long[] heads;

    private BlockIndex(byte[] separators, int[] starts, long[] offsets) {
        this.separators = separators;
        this.starts = starts;
        this.offsets = offsets;
        int last = size() - 1;
        int mismatch = Arrays.mismatch(separators, 0, starts[1], separators, starts[last], starts[last + 1]);
        this.prefixLength = mismatch < 0 ? starts[1] : mismatch;
        this.heads = new long[size()];
        for (int i = 0; i <= last; i++) {
            heads[i] = KeyHead.of(separators, starts[i] + prefixLength, starts[i + 1]);
        }
    }

    static final class Builder {

        private final ByteWriter out = new ByteWriter(4 << 10);
        private int count;

        void add(byte[] separator, int blockLength) {
            out.varint(blockLength).sized(separator);
            count++;
        }

        void write(ByteWriter target) {
            target.u32(count).raw(out.toBuffer().array(), 0, out.size());
        }
    }

    /** Reads an index whose first block begins at {@code dataStart} and whose last block ends at {@code dataEnd}. */
    static BlockIndex read(ByteReader in, long dataStart, long dataEnd) {
        int count = in.u32();
        if (count < 1 || count > in.remaining() / 2) {
            throw in.corrupt("an index claims " + count + " blocks");
        }
        long[] offsets = new long[count + 1];
        int[] starts = new int[count + 1];
        ByteWriter separators = new ByteWriter(in.remaining());
        offsets[0] = dataStart;
        for (int i = 0; i < count; i++) {
            long length = in.varint();
            byte[] separator = in.sized();
            boolean ascends = i == 0
                    || Arrays.compareUnsigned(
                                    separators.toBuffer().array(),
                                    starts[i - 1],
                                    starts[i],
                                    separator,
                                    0,
                                    separator.length)
                            <= 0;
            boolean fits = length > SsTableFormat.FRAME_BYTES
                    && length <= SsTableFormat.MAX_PAYLOAD_BYTES
                    && length <= dataEnd - offsets[i];
            if (!fits || !ascends) {
                throw in.corrupt("entry " + i + " of an index does not follow the one before it");
            }
            separators.raw(separator);
            starts[i + 1] = separators.size();
            offsets[i + 1] = offsets[i] + length;
        }
        in.end();
        if (offsets[count] != dataEnd) {
            throw in.corrupt("an index ends at " + offsets[count] + ", the data at " + dataEnd);
        }
        return new BlockIndex(separators.toArray(), starts, offsets);
    }

    int size() {
        return offsets.length - 1;
    }

    long offset(int block) {
        return offsets[block];
    }

    int length(int block) {
        return (int) (offsets[block + 1] - offsets[block]);
    }

    byte[] separator(int block) {
        return Arrays.copyOfRange(separators, starts[block], starts[block + 1]);
    }

    /** Returns the first block whose separator is at or after the key, or {@link #size()} if there is none. */
    int ceiling(byte[] key) {
        int shared = Math.min(prefixLength, key.length);
        int order = Arrays.compareUnsigned(key, 0, shared, separators, starts[0], starts[0] + prefixLength);
        if (order != 0) {
            return order < 0 ? 0 : size();
        }
        long head = KeyHead.of(key, prefixLength, key.length);
        int low = 0;
        int high = size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            int compared =
                    heads[middle] == head ? compareSeparator(middle, key) : Long.compareUnsigned(heads[middle], head);
            if (compared < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    int compareSeparator(int block, byte[] key) {
        return Arrays.compareUnsigned(separators, starts[block], starts[block + 1], key, 0, key.length);
    }

    int compareSeparator(int block, KeyBuffer key) {
        return Arrays.compareUnsigned(separators, starts[block], starts[block + 1], key.array(), 0, key.length());
    }

    long memoryBytes() {
        return separators.length + (long) size() * (Integer.BYTES + 2 * Long.BYTES);
    }

    /** A short key that is not below {@code last} and, if possible, below {@code next}, which follows {@code last}. */
    static byte[] separator(KeyBuffer last, KeyBuffer next) {
        int most = Math.min(last.length(), next.length());
        int mismatch = Arrays.mismatch(last.array(), 0, most, next.array(), 0, most);
        if (mismatch >= 0 && (last.array()[mismatch] & 0xFF) + 1 < (next.array()[mismatch] & 0xFF)) {
            byte[] shortened = Arrays.copyOf(last.array(), mismatch + 1);
            shortened[mismatch]++;
            return shortened;
        }
        return last.toArray();
    }
}
