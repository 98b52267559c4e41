package io.kvstore.codec.zstd;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;

/** Zstandard frames at the library's default level, by its native code. */
public final class ZstdCodec implements BlockCodec {

    private static final DecompressionContexts CONTEXTS = new DecompressionContexts();

    /** Found by the service loader. */
    public ZstdCodec() {}

    @Override
    public String name() {
        return "ZSTD";
    }

    @Override
    public int id() {
        return 2;
    }

    @Override
    public int maxCompressedBytes(int bytes) {
        return Math.toIntExact(Zstd.compressBound(bytes));
    }

    @Override
    public int compress(Slice source, byte[] target) {
        int level = Zstd.defaultCompressionLevel();
        return Math.toIntExact(Zstd.compressByteArray(
                target, 0, target.length, source.array(), source.offset(), source.length(), level));
    }

    @Override
    public boolean decompress(Slice source, Slice target) {
        ZstdDecompressCtx context = CONTEXTS.take();
        boolean isUsable = false;
        try {
            int length = context.decompressByteArray(
                    target.array(), target.offset(), target.length(), source.array(), source.offset(), source.length());
            isUsable = true;
            return length == target.length();
        } catch (ZstdException e) {
            return false;
        } finally {
            if (isUsable) {
                CONTEXTS.give(context);
            } else {
                context.close();
            }
        }
    }
}
