package io.kvstore.hash.file;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.Checksum;
import io.kvstore.engine.HeldFile;
import io.kvstore.error.CorruptionException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Checks head and blocks while the bytes of an index file pass by. The mark is not looked at. */
final class BlockCheck implements HeldFile.Check {

    private static final int HEAD = IndexFormat.BLOCK_HEAD_BYTES;

    private final String path;
    private final long fileSeed;
    private final CRC32C crc = new CRC32C();
    private final byte[] head = new byte[HEAD];
    private int headBytes;
    private int checksum;
    private long at;
    private long blockStart = IndexFormat.FIRST_BLOCK;
    private long blockEnd;

    /** The first unit of the file. */
    private final byte[] first = new byte[IndexFormat.UNIT_BYTES];

    private final int fileTag;
    private final long number;

    BlockCheck(OpenFile file, int fileTag) {
        this.path = file.path();
        this.fileSeed = file.fileSeed();
        this.number = file.number();
        this.fileTag = fileTag;
    }

    @Override
    public void add(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            if (at < first.length) {
                int count = (int) Math.min(bytes.remaining(), first.length - at);
                bytes.get(first, (int) at, count);
                at += count;
                if (at == first.length) {
                    long _ = IndexFormat.readHead(path, first, fileTag, number);
                }
            } else if (at < blockStart) {
                skip(bytes, (int) Math.min(bytes.remaining(), blockStart - at));
            } else if (headBytes < HEAD) {
                int count = Math.min(bytes.remaining(), HEAD - headBytes);
                bytes.get(head, headBytes, count);
                headBytes += count;
                at += count;
                if (headBytes == HEAD) {
                    begin();
                }
            } else {
                int count = (int) Math.min(bytes.remaining(), blockEnd - at);
                crc.update(bytes.slice(bytes.position(), count));
                skip(bytes, count);
            }
            if (headBytes == HEAD && at == blockEnd) {
                endBlock();
            }
        }
    }

    private void skip(ByteBuffer bytes, int count) {
        bytes.position(bytes.position() + count);
        at += count;
    }

    private void begin() {
        ByteReader fields = new ByteReader(path, head);
        checksum = fields.u32();
        int length = fields.u32();
        int kind = fields.u8();
        if (!IndexFormat.isPossible(kind, length)) {
            throw damaged();
        }
        blockEnd = IndexFormat.end(blockStart, kind, length);
        crc.reset();
        crc.update(head, Integer.BYTES, HEAD - Integer.BYTES);
    }

    private void endBlock() {
        if (Checksum.seeded(fileSeed, blockStart, crc) != checksum) {
            throw damaged();
        }
        blockStart = blockEnd;
        headBytes = 0;
    }

    private CorruptionException damaged() {
        return new CorruptionException(path, blockStart, "no valid block begins here");
    }

    @Override
    public void end() {
        if (at != blockStart) {
            throw damaged();
        }
    }
}
