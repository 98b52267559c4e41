package io.kvstore.cli.dump;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.FileHeader;
import io.kvstore.bytes.Slice;
import io.kvstore.cli.dump.DumpFormat.Kind;
import io.kvstore.engine.BlockCodec;
import io.kvstore.error.CorruptionException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads blocks. A length is used when its checksum holds, and bytes when theirs does. So memory is taken for at most one block.
 * For use by one thread.
 */
final class BlockReader {

    private static final int CRC_BYTES = 4;

    private final InputStream in;
    private final String name;
    private @Nullable BlockCodec codec;
    private long blocks;
    private long offset;
    private long start;
    private Kind kind = Kind.START;

    /** Reads the header. */
    BlockReader(InputStream in, String name) throws IOException {
        this.in = in;
        this.name = name;
        byte[] header = in.readNBytes(FileHeader.BYTES);
        if (DumpFormat.HEADER.read(new ByteReader(name, header), name).flags() != 0) {
            throw corrupt("a flag of the header is not known");
        }
        offset = header.length;
    }

    void setCodec(@Nullable BlockCodec newCodec) {
        codec = newCodec;
    }

    /** The number of blocks before the present one. */
    long before() {
        return blocks - 1;
    }

    Kind kind() {
        return kind;
    }

    /** The plain bytes of the next block. */
    ByteReader next() throws IOException {
        start = offset;
        byte[] head = in.readNBytes(DumpFormat.HEAD_BYTES);
        if (head.length < DumpFormat.HEAD_BYTES) {
            throw cut(head.length);
        }
        ByteReader fields = new ByteReader(name, start, head, 0, head.length);
        int number = fields.u8();
        int form = fields.u8();
        int zero = fields.u16();
        int plainLength = fields.u32();
        int length = fields.u32();
        int crc = fields.u32();
        if (fields.u32() != Checksum.seeded(blocks, start, head, 0, DumpFormat.HEAD_BYTES - CRC_BYTES)) {
            throw corrupt("the checksum of the head of a block does not hold");
        }
        kind = kindOf(number);
        requireForm(form, zero, plainLength, length);
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw cut(DumpFormat.HEAD_BYTES + bytes.length);
        }
        if (crc != Checksum.seeded(blocks, start, bytes, 0, length)) {
            throw corrupt("the checksum of a block does not hold");
        }
        blocks++;
        offset = start + DumpFormat.HEAD_BYTES + length;
        byte[] plain = form == DumpFormat.PLAIN ? bytes : decompressed(bytes, plainLength);
        return new ByteReader(name, start + DumpFormat.HEAD_BYTES, plain, 0, plain.length);
    }

    private Kind kindOf(int number) {
        for (Kind known : Kind.values()) {
            if (known.number() == number) {
                return known;
            }
        }
        throw corrupt("a block is of the kind " + number + ", which is not known");
    }

    private void requireForm(int form, int zero, int plainLength, int length) {
        boolean isKnown = form == DumpFormat.PLAIN
                ? length == plainLength
                : form == DumpFormat.COMPRESSED && length < plainLength && codec != null;
        if (!isKnown || zero != 0 || length < 0 || plainLength > DumpFormat.MOST_BLOCK_BYTES) {
            throw corrupt("the head of a block has no sense");
        }
    }

    private byte[] decompressed(byte[] bytes, int plainLength) {
        byte[] plain = new byte[plainLength];
        if (codec == null || !codec.decompress(Slice.of(bytes), Slice.of(plain))) {
            throw corrupt("a block cannot be decompressed");
        }
        return plain;
    }

    /** Requires that nothing follows. */
    void end() throws IOException {
        start = offset;
        if (in.read() >= 0) {
            throw corrupt("something follows the end of the dump");
        }
    }

    private CorruptionException cut(int there) {
        return new CorruptionException(name, start + there, "the dump was cut off here");
    }

    /** A failure that names the offset of the present block. */
    CorruptionException corrupt(String message) {
        return new CorruptionException(name, start, message);
    }
}
