package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import org.jspecify.annotations.Nullable;

/** Decompresses blocks that {@link BlockPacker} made. A length is checked before memory is taken for it. */
final class BlockUnpacker {

    /** No block is longer than this number of times its compressed form. */
    static final int MAX_RATIO = 1024;

    private final @Nullable BlockCodec codec;

    BlockUnpacker(@Nullable BlockCodec codec) {
        this.codec = codec;
    }

    static boolean isBelievable(long payload, int packed) {
        return payload > 0 && payload <= SsTableFormat.MAX_PAYLOAD_BYTES && payload <= (long) packed * MAX_RATIO;
    }

    /** Decompresses a checked block into the target. The block, with its frame, is at {@code start} of the array. */
    void unpack(SsTableFormat.BlockPlace place, byte[] array, int start, DataBlock target) {
        int from = start + SsTableFormat.FRAME_BYTES;
        int length = place.length() - SsTableFormat.FRAME_BYTES;
        ByteReader in = new ByteReader(place.file(), place.offset() + SsTableFormat.FRAME_BYTES, array, from, length);
        int id = array[start + SsTableFormat.CODEC_AT] & 0xFF;
        if (codec == null || id != codec.id()) {
            throw in.corrupt("a block is compressed by codec " + id + ", which is not the table's");
        }
        long payload = Integer.toUnsignedLong(in.u32());
        if (!isBelievable(payload, in.remaining())) {
            throw in.corrupt("a block of " + in.remaining() + " compressed bytes claims to have " + payload);
        }
        byte[] unpacked = target.unpackBuffer((int) payload);
        Slice packed = new Slice(array, from + Integer.BYTES, in.remaining());
        if (!codec.decompress(packed, new Slice(unpacked, 0, (int) payload))) {
            throw in.corrupt("a block cannot be decompressed by " + codec.name());
        }
        target.reset(place, unpacked, 0, (int) payload);
    }
}
