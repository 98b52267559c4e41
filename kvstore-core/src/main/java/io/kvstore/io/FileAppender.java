package io.kvstore.io;

import io.kvstore.bytes.ByteCopy;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Adds to a file from front to back, through a buffer. The caller creates, syncs and closes the file. For use by one thread.
 *
 * <p>Each piece that is written ends at a multiple of {@link #PIECE_BYTES} in the file, except the last piece before a
 * {@link #flush}: a write that begins or ends within a page costs the system two thirds more for each byte.
 */
public final class FileAppender {

    /** Length of a piece. Larger pieces were no faster. */
    public static final int PIECE_BYTES = 256 << 10;

    private final StorageFile file;
    private final ByteBuffer buffer;
    private long written;
    private long flushed;

    /** @param file an empty file */
    public FileAppender(StorageFile file) {
        this(file, 0, PIECE_BYTES);
    }

    /** Adds to a file from {@code position} on. If more than {@code bytes} are added, only the buffer is too small. */
    public FileAppender(StorageFile file, long position, long bytes) {
        this.file = file;
        this.buffer = ByteBuffer.allocate((int) Math.min(bytes, PIECE_BYTES));
        this.written = position;
        this.flushed = position;
        beginPiece();
    }

    private void beginPiece() {
        buffer.clear();
        buffer.limit((int) Math.min(buffer.capacity(), PIECE_BYTES - written % PIECE_BYTES));
    }

    /** Adds the first {@code length} bytes of an array. */
    public void append(byte[] bytes, int length) throws IOException {
        append(ByteBuffer.wrap(bytes, 0, length));
    }

    public void append(ByteBuffer source) throws IOException {
        while (source.hasRemaining()) {
            written += ByteCopy.fill(buffer, source);
            if (!buffer.hasRemaining()) {
                flush();
            }
        }
    }

    /** Hands the remaining bytes of a buffer to the file as {@link StorageFile#writeUncached} does, and returns the same. */
    public long appendUncached(ByteBuffer source) throws IOException {
        flush();
        int bytes = source.remaining();
        long uncached = file.writeUncached(source, flushed);
        written += bytes;
        flushed = written;
        beginPiece();
        return uncached;
    }

    public void flush() throws IOException {
        buffer.flip();
        if (buffer.hasRemaining()) {
            file.write(buffer, flushed);
            flushed = written;
        }
        beginPiece();
    }

    /** The offset at which the file ends once all added bytes are in it. */
    public long written() {
        return written;
    }

    /** The offset up to which the file has the added bytes, even after a write that failed. */
    public long flushed() {
        return flushed;
    }
}
