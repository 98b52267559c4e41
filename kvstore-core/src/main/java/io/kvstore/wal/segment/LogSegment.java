package io.kvstore.wal.segment;

import java.io.IOException;

/**
 * One open segment of the log, and the way in which bytes land in it. {@link #put} and {@link #capture} are called under the
 * log's lock and do no I/O. {@link #land} and {@link #sync} are called by the leader without that lock, so by one thread at a
 * time.
 */
public interface LogSegment extends AutoCloseable {

    long id();

    String path();

    long capacity();

    /** Allocates the memory for {@code bytes} more bytes. This step of an append may fail without a trace. */
    void reserve(long bytes);

    /** Whether {@link #populate} is worth calling. */
    default boolean hasPages() {
        return false;
    }

    /**
     * Makes the system prepare the memory between two offsets for writes, so that the first writer does not have to wait for
     * it. Changes no content. Any thread may call this, in parallel to all others. Does nothing in a closed segment.
     */
    default void populate(long from, long to) {
        // most segments have nothing to prepare
    }

    /** Copies bytes to an offset at or behind all captured. Their memory was reserved. The same range may be put twice. */
    void put(byte[] source, int from, int length, long offset);

    /** CRC32C of {@code length} bytes that were put at {@code offset} and not captured yet. */
    int checksum(long offset, int length);

    /**
     * Prepares for a {@link #sync} of the bytes that were put up to about {@code end}. Called by the leader before
     * {@link #capture}, without the log's lock.
     */
    default void prepareSync(long end) {
        // most segments have nothing to prepare
    }

    /** Fixes the bytes that the next {@link #land} and {@link #sync} cover: all that were put so far, below {@code end}. */
    void capture(long end);

    /** Hands the captured bytes to the operating system. They then survive the process. */
    void land() throws IOException;

    /** Makes the landed bytes durable. */
    void sync() throws IOException;

    /** Lands and syncs the captured bytes of a full segment, and closes it. After a failure {@link #close} is still needed. */
    default void finish() throws IOException {
        land();
        sync();
        close();
    }

    @Override
    void close() throws IOException;
}
