package io.kvstore.io;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Adds to a file from front to back, through a buffer. The caller creates, syncs and closes the file. One thread.
 *
 * <p>Each piece that is written ends at a multiple of {@link #PIECE_BYTES} in the file, but for the one before a
 * {@link #flush}: a write that begins or ends within a page costs the system two thirds more for each byte.
 */
public final class FileAppender {

    /** Larger ones were no faster. */
    public static final int PIECE_BYTES = 256 << 10;

    private final StorageFile file;
    private final ByteBuffer buffer;
    private long written;
    private long flushed;

    /** @param file empty */
    public FileAppender(StorageFile file) {
        this(file, 0, PIECE_BYTES);
    }

    /**
     * Adds to a file that has something.
     *
     * @param position where in the file the first byte goes
     * @param bytes how many will be added, at least 1; if it is more, only the buffer is too small
     */
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

    /** Adds what remains of a buffer. */
    public void append(ByteBuffer source) throws IOException {
        while (source.hasRemaining()) {
            int part = Math.min(source.remaining(), buffer.remaining());
            buffer.put(buffer.position(), source, source.position(), part);
            buffer.position(buffer.position() + part);
            source.position(source.position() + part);
            written += part;
            if (!buffer.hasRemaining()) {
                flush();
            }
        }
    }

    /**
     * Adds what remains of a buffer, and hands it to the file, past the system's cache where that is possible: see
     * {@link StorageFile#writeUncached}.
     *
     * @return how many bytes did not go through the cache
     */
    public long appendUncached(ByteBuffer source) throws IOException {
        flush();
        int bytes = source.remaining();
        long uncached = file.writeUncached(source, flushed);
        written += bytes;
        flushed = written;
        beginPiece();
        return uncached;
    }

    /** Hands what is in the buffer to the file. */
    public void flush() throws IOException {
        buffer.flip();
        if (buffer.hasRemaining()) {
            file.write(buffer, flushed);
            flushed = written;
        }
        beginPiece();
    }

    /** Where the file ends with all that was added. */
    public long written() {
        return written;
    }

    /** Up to where the file has what was added, also when a write failed. */
    public long flushed() {
        return flushed;
    }
}
