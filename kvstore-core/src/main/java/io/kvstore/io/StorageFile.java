package io.kvstore.io;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file. Access is positional and safe for several threads. To close a file in use is the caller's mistake. */
public interface StorageFile extends AutoCloseable {

    /** Writes past the system's cache of files begin and end at multiples of this. No file system in use asks for more. */
    int UNCACHED_UNIT_BYTES = 4 << 10;

    String path();

    /** Reads into the remaining room of {@code target}. Returns the number of bytes, or -1 at or after the end of the file. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes all remaining bytes of {@code source}. The file grows as needed. */
    void write(ByteBuffer source, long position) throws IOException;

    /**
     * Writes all remaining bytes of {@code source}, past the system's cache of files as far as that is possible. Meant for
     * bytes that are not about to be read. To pass by the cache, the buffer must be direct, and must begin at a multiple of
     * {@link #UNCACHED_UNIT_BYTES} in memory and in the file. In all other respects this is like {@link #write}, above all
     * after a crash and for {@link #sync}.
     *
     * @return the number of bytes that did not go through the cache
     */
    default long writeUncached(ByteBuffer source, long position) throws IOException {
        write(source, position);
        return 0;
    }

    long size() throws IOException;

    /** Cuts the file to {@code size} bytes. Does nothing if the file is shorter. */
    void truncate(long size) throws IOException;

    /** Makes all written bytes and the length durable. A failure is final: never try again. */
    void sync() throws IOException;

    @Override
    void close() throws IOException;

    /** Fills the remaining room of {@code target}, or throws {@link EOFException}. */
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
