package io.kvstore.engine;

import io.kvstore.bytes.Slice;

/**
 * Compresses blocks of a table's files. A codec is registered in {@code META-INF/services/io.kvstore.engine.BlockCodec}. It is
 * stateless and safe for use by several threads.
 */
public interface BlockCodec {

    /** The codec's name in capitals, such as {@code LZ4}. The parameters of tables use this name. */
    String name();

    /** A number from 1 to 255, unique among codecs. It is written into every block, so it never changes. */
    int id();

    /** The most bytes that {@link #compress} makes of the given number of bytes. */
    int maxCompressedBytes(int bytes);

    /**
     * Compresses to the front of an array.
     *
     * @param target has room for {@link #maxCompressedBytes} of the source's length
     * @return the number of compressed bytes
     */
    int compress(Slice source, byte[] target);

    /**
     * Decompresses a block. Writes nothing outside the target, whatever the source holds.
     *
     * @param target as long as the bytes that were compressed
     * @return whether the source is intact, and the decompressed bytes fill the target exactly
     */
    boolean decompress(Slice source, Slice target);

    /**
     * Decompresses a block from its front on, and may stop when enough bytes are there. Writes nothing outside the target.
     *
     * @param target as long as the bytes that were compressed
     * @param wanted how many bytes at the front of the target are needed
     * @return how many bytes at the front of the target are there: {@code wanted} or more; -1 if the source is not intact
     */
    default int decompressFront(Slice source, Slice target, int wanted) {
        return decompress(source, target) ? target.length() : -1;
    }
}
