package io.kvstore.io;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes a new file from front to back through a buffer. The caller creates, syncs and closes the file. One thread. */
public final class FileAppender {

    private static final int BUFFER_BYTES = 256 << 10;

    private final StorageFile file;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private long written;

    /** @param file empty */
    public FileAppender(StorageFile file) {
        this.file = file;
    }

    /** Adds the first {@code length} bytes of an array. */
    public void append(byte[] bytes, int length) throws IOException {
        if (length > buffer.remaining()) {
            flush();
        }
        if (length > buffer.remaining()) {
            file.write(ByteBuffer.wrap(bytes, 0, length), written);
        } else {
            buffer.put(bytes, 0, length);
        }
        written += length;
    }

    /** Hands what is in the buffer to the file. */
    public void flush() throws IOException {
        buffer.flip();
        if (buffer.hasRemaining()) {
            file.write(buffer, written - buffer.limit());
        }
        buffer.clear();
    }

    /** How many bytes were added. */
    public long written() {
        return written;
    }
}
