package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import io.kvstore.sealed.format.BlockFormat;

/**
 * Packs blocks. A block that does not become an eighth shorter stays as it is, because that is cheaper to read. It also does if
 * it would become shorter than a reader believes.
 */
final class BlockPacker {

    private static final int KEPT_BYTES = 1 << 20;

    private final BlockCodec codec;
    private byte[] scratch = {};
    private ByteWriter packed = new ByteWriter(8 << 10);

    BlockPacker(BlockCodec codec) {
        this.codec = codec;
    }

    /** Packs a block, or returns it if that gains too little. The result has room for the frame, until the next call. */
    ByteWriter pack(ByteWriter block) {
        int payload = block.size() - BlockFormat.FRAME_BYTES;
        int most = codec.maxCompressedBytes(payload);
        if (scratch.length < most || scratch.length > Math.max(most, KEPT_BYTES)) {
            scratch = new byte[most];
            packed = new ByteWriter(BlockFormat.FRAME_BYTES + Integer.BYTES + most);
        }
        int length = codec.compress(new Slice(block.toBuffer().array(), BlockFormat.FRAME_BYTES, payload), scratch);
        if (length + Integer.BYTES > payload - payload / 8 || !BlockFormat.isBelievable(payload, length)) {
            return block;
        }
        packed.cut(0);
        return packed.u64(0).u32(0).u32(payload).raw(scratch, 0, length);
    }

    /** The id of the codec of a block that {@link #pack} returned; 0 if it stayed as it is. */
    int codecOf(ByteWriter written) {
        return written == packed ? codec.id() : 0;
    }
}
