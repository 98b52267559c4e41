package io.kvstore.codec.lz4;

import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/** LZ4 blocks, in Java alone: neither native code nor memory access that the JVM does not check. */
public final class Lz4Codec implements BlockCodec {

    private static final LZ4Compressor COMPRESSOR = LZ4Factory.safeInstance().fastCompressor();

    /** Found by the service loader. */
    public Lz4Codec() {}

    @Override
    public String name() {
        return "LZ4";
    }

    @Override
    public int id() {
        return 1;
    }

    @Override
    public int maxCompressedBytes(int bytes) {
        return COMPRESSOR.maxCompressedLength(bytes);
    }

    @Override
    public int compress(Slice source, byte[] target) {
        return COMPRESSOR.compress(source.array(), source.offset(), source.length(), target, 0, target.length);
    }

    @Override
    public boolean decompress(Slice source, Slice target) {
        return Lz4Decoder.decode(source, target, target.length()) == target.length();
    }

    @Override
    public int decompressFront(Slice source, Slice target, int wanted) {
        return Lz4Decoder.decode(source, target, wanted);
    }
}
