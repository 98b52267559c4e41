package io.kvstore.io;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file. Positional and safe for use by several threads; closing it while others use it is the caller's mistake. */
public interface StorageFile extends AutoCloseable {

    /** What goes past the system's cache of files begins and ends at multiples of this. No file system in use asks for more. */
    int UNCACHED_UNIT_BYTES = 4 << 10;

    /** The path it was opened by. */
    String path();

    /** Reads into what remains of {@code target}; the number of bytes read, or -1 at or after the end of the file. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes all that remains of {@code source}, growing the file as needed. */
    void write(ByteBuffer source, long position) throws IOException;

    /**
     * Writes all that remains of {@code source}, which nobody is about to read: past the system's cache of files as far as that
     * is possible. For that the buffer must be direct, and begin at a multiple of {@link #UNCACHED_UNIT_BYTES} in memory and
     * in the file. In all else, above all in what a crash leaves and in what {@link #sync} means, it is like {@link #write}.
     *
     * @return how many bytes did not go through the cache
     */
    default long writeUncached(ByteBuffer source, long position) throws IOException {
        write(source, position);
        return 0;
    }

    /** The length in bytes. */
    long size() throws IOException;

    /** Cuts the file to {@code size} bytes; does nothing if it is shorter. */
    void truncate(long size) throws IOException;

    /** Makes all that was written, and the length, durable. A failure is final: never try again. */
    void sync() throws IOException;

    @Override
    void close() throws IOException;

    /** Fills what remains of {@code target}, or throws {@link EOFException}. */
    default void readFully(ByteBuffer target, long position) throws IOException {
        long at = position;
        while (target.hasRemaining()) {
            int count = read(target, at);
            if (count < 0) {
                throw new EOFException(
                        path() + " ends at " + size() + "; wanted " + target.remaining() + " bytes at " + at);
            }
            at += count;
        }
    }
}
