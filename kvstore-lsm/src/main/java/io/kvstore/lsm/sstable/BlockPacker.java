package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import org.jspecify.annotations.Nullable;

/**
 * Compresses data blocks while a file is written. A compressed block has, in place of its payload, the length of the
 * payload (u32) and the output of the codec. A block that does not become an eighth shorter stays uncompressed, because
 * that is cheaper to read. A block also stays uncompressed if it would become shorter than a reader accepts, see
 * {@link BlockUnpacker#MAX_RATIO}.
 */
final class BlockPacker {

    private static final int KEPT_BYTES = 1 << 20;

    private final @Nullable BlockCodec codec;
    private byte[] scratch = {};
    private ByteWriter packed = new ByteWriter(8 << 10);

    BlockPacker(@Nullable BlockCodec codec) {
        this.codec = codec;
    }

    /** Compresses a block, or returns it if that gains too little. The result has room for the frame, until the next call. */
    ByteWriter pack(ByteWriter block) {
        if (codec == null) {
            return block;
        }
        int payload = block.size() - SsTableFormat.FRAME_BYTES;
        int most = codec.maxCompressedBytes(payload);
        if (scratch.length < most || scratch.length > Math.max(most, KEPT_BYTES)) {
            scratch = new byte[most];
            packed = new ByteWriter(SsTableFormat.FRAME_BYTES + Integer.BYTES + most);
        }
        Slice source = new Slice(block.toBuffer().array(), SsTableFormat.FRAME_BYTES, payload);
        int length = codec.compress(source, scratch);
        if (length + Integer.BYTES > payload - payload / 8 || !BlockUnpacker.isBelievable(payload, length)) {
            return block;
        }
        packed.cut(0);
        return packed.u64(0).u32(0).u32(payload).raw(scratch, 0, length);
    }

    /** The id of the codec of a block that {@link #pack} returned. */
    int codecOf(ByteWriter written) {
        return codec == null || written != packed ? SsTableFormat.NO_CODEC : codec.id();
    }
}
