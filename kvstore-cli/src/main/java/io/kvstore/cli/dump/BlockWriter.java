package io.kvstore.cli.dump;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.Slice;
import io.kvstore.cli.dump.DumpFormat.Kind;
import io.kvstore.engine.BlockCodec;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Writes blocks, each with its checksums. For use by one thread. */
final class BlockWriter {

    private final OutputStream out;
    private final @Nullable BlockCodec codec;
    private final byte[] compressed;
    private long blocks;
    private long offset;

    /** Writes the header. */
    BlockWriter(OutputStream out, @Nullable BlockCodec codec) throws IOException {
        this.out = out;
        this.codec = codec;
        this.compressed = new byte[codec == null ? 0 : codec.maxCompressedBytes(DumpFormat.MOST_BLOCK_BYTES)];
        ByteWriter header = new ByteWriter();
        DumpFormat.HEADER.write(header, 0);
        send(new Slice(header.toArray(), 0, header.size()));
    }

    /** The number of blocks that were written. */
    long blocks() {
        return blocks;
    }

    void write(Kind kind, ByteWriter plain) throws IOException {
        write(kind, new Slice(plain.toBuffer().array(), 0, plain.size()));
    }

    /** Writes a block, compressed where that is shorter. */
    void write(Kind kind, Slice plain) throws IOException {
        if (plain.length() > DumpFormat.MOST_BLOCK_BYTES) {
            throw new IllegalArgumentException("a block has " + plain.length() + " bytes");
        }
        int length = codec == null || kind == Kind.START ? plain.length() : codec.compress(plain, compressed);
        boolean isShorter = length < plain.length();
        Slice bytes = isShorter ? new Slice(compressed, 0, length) : plain;
        ByteWriter head = new ByteWriter(DumpFormat.HEAD_BYTES)
                .u8(kind.number())
                .u8(isShorter ? DumpFormat.COMPRESSED : DumpFormat.PLAIN)
                .u16(0)
                .u32(plain.length())
                .u32(bytes.length())
                .u32(Checksum.seeded(blocks, offset, bytes.array(), bytes.offset(), bytes.length()));
        head.u32(Checksum.seeded(blocks, offset, head.toBuffer()));
        send(Slice.of(head.toArray()));
        send(bytes);
        blocks++;
    }

    private void send(Slice bytes) throws IOException {
        out.write(bytes.array(), bytes.offset(), bytes.length());
        offset += bytes.length();
    }

    void flush() throws IOException {
        out.flush();
    }
}
