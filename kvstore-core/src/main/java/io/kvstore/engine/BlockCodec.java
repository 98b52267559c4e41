package io.kvstore.engine;

import io.kvstore.io.Slice;

/**
 * Compresses blocks of a table's files. Registered in {@code META-INF/services/io.kvstore.engine.BlockCodec}; stateless and
 * safe for use by several threads.
 */
public interface BlockCodec {

    /** The codec's name in capitals, such as {@code LZ4}; what a table's parameters call it. */
    String name();

    /** A number from 1 to 255, unique among codecs; it is written into every block, so it is the same for ever. */
    int id();

    /** The most bytes that {@link #compress} makes of so many. */
    int maxCompressedBytes(int bytes);

    /**
     * Compresses to the front of an array.
     *
     * @param target has room for {@link #maxCompressedBytes} of the source
     * @return how many bytes it made
     */
    int compress(Slice source, byte[] target);

    /**
     * Decompresses. Whatever the source holds, nothing outside of the target is written.
     *
     * @param target as long as what was compressed
     * @return whether the source is whole, and what came out fills the target exactly
     */
    boolean decompress(Slice source, Slice target);
}
