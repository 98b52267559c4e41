package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;

/**
 * The format of an SSTable: a header, data blocks, one filter block, one index block, one properties block and a footer,
 * without gaps. Every block has a frame of 12 bytes. Its checksum is seeded by the file and the block's offset:
 *
 * <pre>
 *   0  crc32c   u32 of table id, file number, offset, and all bytes that follow
 *   4  length   u32 of the payload
 *   8  type     u8
 *   9  codec    u8, 0 = uncompressed; else data compressed by the codec of that id
 *  10  reserved u16, 0
 *  12  payload
 * </pre>
 */
final class SsTableFormat {

    static final FileHeader HEADER = new FileHeader("KVSSTBL1", "SSTable", 1);

    /** The file header, then table id u32, file number u64 and a checksum of these two. */
    static final int HEADER_BYTES = FileHeader.BYTES + 16;

    /** The offsets of filter, index and properties, and the file's length, all u64; a seeded checksum; a magic number. */
    static final int FOOTER_BYTES = 40;

    static final int FRAME_BYTES = 12;

    static final int DATA = 1;
    static final int FILTER = 2;
    static final int INDEX = 3;
    static final int PROPERTIES = 4;

    static final int RESTART_INTERVAL = 16;

    /** The longest block that is read: a value of 1 GiB, a key, and room for the bytes around both. */
    static final int MAX_PAYLOAD_BYTES = (1 << 30) + (1 << 20);

    static final int CODEC_AT = 9;

    /** The codec id of an uncompressed payload. */
    static final int NO_CODEC = 0;

    private static final int END_MAGIC = 0x444E4553;

    private SsTableFormat() {}

    /** The offsets at which the parts after the data begin, and the length of the file. */
    record Footer(long filterOffset, long indexOffset, long propertiesOffset, long fileBytes) {}

    /** The first number that seeds the checksums of a file. */
    static long seed(int tableId, long fileNumber) {
        return (long) tableId << 32 ^ fileNumber;
    }

    static byte[] header(int tableId, long fileNumber) {
        ByteWriter out = new ByteWriter(HEADER_BYTES);
        HEADER.write(out, 0);
        out.u32(tableId).u64(fileNumber).checksumFrom(FileHeader.BYTES);
        return out.toArray();
    }

    static void checkHeader(ByteReader in, String file, int tableId, long fileNumber) {
        int flags = HEADER.read(in, file).flags();
        int foundTable = in.u32();
        long foundNumber = in.u64();
        in.checksumFrom(FileHeader.BYTES);
        if (flags != 0 || foundTable != tableId || foundNumber != fileNumber) {
            throw new CorruptionException(
                    file,
                    0,
                    "belongs to table " + foundTable + " as file " + foundNumber + ", not to table " + tableId
                            + " as file " + fileNumber);
        }
    }

    static byte[] footer(long seed, Footer footer) {
        ByteWriter out = new ByteWriter(FOOTER_BYTES);
        out.u64(footer.filterOffset).u64(footer.indexOffset).u64(footer.propertiesOffset);
        out.u64(footer.fileBytes);
        int checksum = Checksum.seeded(seed, footer.fileBytes, out.toBuffer());
        return out.u32(checksum).u32(END_MAGIC).toArray();
    }

    static Footer readFooter(ByteReader in, byte[] bytes, long seed) {
        Footer footer = new Footer(in.u64(), in.u64(), in.u64(), in.u64());
        int expected = Checksum.seeded(seed, footer.fileBytes, bytes, 0, in.position());
        if (in.u32() != expected || in.u32() != END_MAGIC) {
            throw in.corrupt("the footer's checksum is wrong");
        }
        boolean inOrder = HEADER_BYTES < footer.filterOffset
                && footer.filterOffset < footer.indexOffset
                && footer.indexOffset < footer.propertiesOffset
                && footer.propertiesOffset < footer.fileBytes - FOOTER_BYTES;
        if (!inOrder) {
            throw in.corrupt("the footer's offsets are not in order");
        }
        return footer;
    }

    /** Completes a block whose payload begins at {@link #FRAME_BYTES}. The codec is shifted left by eight above the type. */
    static void frame(ByteWriter block, int typeAndCodec, long seed, long offset) {
        int payload = block.size() - FRAME_BYTES;
        block.setU32(4, payload);
        block.setU32(8, typeAndCodec);
        byte[] bytes = block.toBuffer().array();
        block.setU32(0, Checksum.seeded(seed, offset, bytes, 4, block.size() - 4));
    }

    /** Checks a block with its frame, which begins at {@code start} of the array. Returns the id of its codec. */
    static int checkFrame(BlockPlace place, byte[] bytes, int start, int type) {
        ByteReader in = new ByteReader(place.file(), place.offset(), bytes, start, place.length());
        int checksum = in.u32();
        int payload = in.u32();
        if (checksum != Checksum.seeded(place.seed(), place.offset(), bytes, start + 4, place.length() - 4)) {
            throw new CorruptionException(place.file(), place.offset(), "a block's checksum is wrong");
        }
        int foundType = in.u8();
        int codec = in.u8();
        if (payload != place.length() - FRAME_BYTES || foundType != type || in.u16() != 0) {
            throw new CorruptionException(place.file(), place.offset(), "a block's frame is not the one expected here");
        }
        return codec;
    }

    /**
     * The place of a block in its file.
     *
     * @param seed see {@link SsTableFormat#seed}
     * @param offset where the block's frame begins
     * @param length the length of frame and payload
     */
    record BlockPlace(String file, long seed, long offset, int length) {}
}
