package io.kvstore.hash.file;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.Checksum;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Finds blocks in a part of an index file. Meant for reading from front to back. For one thread. */
final class BlockReader {

    private static final int PIECE_BYTES = 256 << 10;

    private final StorageFile file;
    private final String path;
    private final long fileSeed;
    private final long end;
    private final boolean isLenient;
    private byte[] piece = {};
    private long pieceStart;
    private int pieceBytes;

    /** The end of the last 4 KiB that the disk did not give. They are not read again as long as no others are met. */
    private long badEnd;

    /**
     * Reads a file.
     *
     * @param end where the part of the file ends that counts
     * @param isLenient whether a block that the disk does not give counts as one that is not valid
     */
    BlockReader(StorageFile file, String path, long fileSeed, long end, boolean isLenient) {
        this.isLenient = isLenient;
        this.file = file;
        this.path = path;
        this.fileSeed = fileSeed;
        this.end = end;
    }

    String path() {
        return path;
    }

    long end() {
        return end;
    }

    /** The block that begins at an offset, or null if no valid one does. */
    @Nullable
    IndexBlock at(long offset) throws IOException {
        boolean isPlace = offset >= IndexFormat.FIRST_BLOCK && offset % IndexFormat.BLOCK_UNIT_BYTES == 0;
        if (!isPlace || !load(offset, IndexFormat.BLOCK_HEAD_BYTES)) {
            return null;
        }
        ByteReader head = new ByteReader(path, offset, piece, index(offset), IndexFormat.BLOCK_HEAD_BYTES);
        int checksum = head.u32();
        int length = head.u32();
        int kind = head.u8();
        int zeros = head.u16() | head.u8();
        if (zeros != 0 || !IndexFormat.isPossible(kind, length)) {
            return null;
        }
        long blockEnd = IndexFormat.end(offset, kind, length);
        if (!load(offset, blockEnd - offset)) {
            return null;
        }
        int from = index(offset);
        int checked = (int) (blockEnd - offset) - Integer.BYTES;
        if (Checksum.seeded(fileSeed, offset, piece, from + Integer.BYTES, checked) != checksum) {
            return null;
        }
        int start = from + IndexFormat.BLOCK_HEAD_BYTES;
        ByteReader payload = new ByteReader(path, offset + IndexFormat.BLOCK_HEAD_BYTES, piece, start, length);
        return new IndexBlock(path, kind, offset, blockEnd, payload);
    }

    /** The block that begins at an offset. Another block or a commit behind it says that it was durable. */
    IndexBlock require(long offset) throws IOException {
        IndexBlock block = at(offset);
        if (block == null) {
            throw IndexBlock.noneAt(path, offset);
        }
        return block;
    }

    /** The first valid block from an offset on that begins at or behind it, or null. */
    @Nullable
    IndexBlock firstFrom(long offset, boolean commitsOnly) throws IOException {
        long at = offset;
        while (at < end) {
            IndexBlock block = at(at);
            if (block != null && (block.isCommit() || !commitsOnly)) {
                return block;
            }
            at = isBad(at) ? badEnd : at + IndexFormat.BLOCK_UNIT_BYTES;
        }
        return null;
    }

    private boolean isBad(long offset) {
        return offset < badEnd && offset >= badEnd - IndexFormat.UNIT_BYTES;
    }

    private int index(long offset) {
        return (int) (offset - pieceStart);
    }

    /** Reads a piece from an offset on, unless it is there. Returns false if the file ends before. */
    private boolean load(long offset, long length) throws IOException {
        if (offset >= pieceStart && offset + length <= pieceStart + pieceBytes) {
            return true;
        }
        long badStart = badEnd - IndexFormat.UNIT_BYTES;
        if (offset + length > end || (offset < badEnd && offset + length > badStart)) {
            return false;
        }
        long readable = offset < badStart ? Math.min(end, badStart) : end;
        int wanted = (int) Math.min(Math.max(length, PIECE_BYTES), readable - offset);
        if (piece.length < wanted) {
            piece = new byte[wanted];
        }
        pieceBytes = 0;
        return isLenient ? tryLoad(offset, (int) length, wanted) : read(offset, wanted);
    }

    /** Reads as much as the disk gives, up to the first 4 KiB that it does not give. Returns false if that is too little. */
    private boolean tryLoad(long offset, int length, int wanted) {
        int there = tryRead(offset, 0, wanted) ? wanted : 0;
        boolean isBad = false;
        while (there < wanted && !isBad) {
            long at = offset + there;
            long unitEnd = (at / IndexFormat.UNIT_BYTES + 1) * IndexFormat.UNIT_BYTES;
            int bytes = (int) Math.min(unitEnd - at, wanted - there);
            if (tryRead(at, there, bytes)) {
                there += bytes;
            } else {
                isBad = true;
                badEnd = unitEnd;
            }
        }
        pieceStart = offset;
        pieceBytes = there;
        return there >= length;
    }

    private boolean tryRead(long offset, int to, int bytes) {
        try {
            file.readFully(ByteBuffer.wrap(piece, to, bytes), offset);
            return true;
        } catch (IOException e) {
            return false; // the caller reports what is not valid
        }
    }

    private boolean read(long offset, int bytes) throws IOException {
        file.readFully(ByteBuffer.wrap(piece, 0, bytes), offset);
        pieceStart = offset;
        pieceBytes = bytes;
        return true;
    }
}
