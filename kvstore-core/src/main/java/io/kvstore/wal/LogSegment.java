package io.kvstore.wal;

import java.io.IOException;

/**
 * One open segment of the log and how bytes land in it. {@link #put} and {@link #capture} are called under the log's lock
 * and do no I/O; {@link #land} and {@link #sync} are called by the leader, one thread at a time, without it.
 */
interface LogSegment extends AutoCloseable {

    /** The segment's id. */
    long id();

    /** The path of its file. */
    String path();

    /** The length of its file. */
    long capacity();

    /** Takes the memory that putting {@code bytes} more needs; the step of an append that may fail without a trace. */
    void reserve(long bytes);

    /** Whether {@link #populate} is worth calling. */
    default boolean hasPages() {
        return false;
    }

    /**
     * Has the memory between two offsets ready for being written, as whoever writes to it first would otherwise have to wait
     * for that. Changes nothing. For any thread, beside all others; does nothing in a segment that was closed.
     */
    default void populate(long from, long to) {
        // most segments have nothing to prepare
    }

    /** Copies reserved bytes to an offset at or behind everything captured. It may be done twice. */
    void put(byte[] source, int from, int length, long offset);

    /** CRC32C of what was put between two offsets, neither of which was captured. */
    int checksum(long offset, int length);

    /**
     * Gets ready for a {@link #sync} of what was put up to about {@code end}. Called by the leader before {@link #capture}, not
     * under the log's lock.
     */
    default void prepareSync(long end) {
        // most segments have nothing to prepare
    }

    /** Fixes what the next {@link #land} and {@link #sync} are about: everything put so far, below {@code end}. */
    void capture(long end);

    /** Hands what was captured to the operating system: it then survives the process. */
    void land() throws IOException;

    /** Makes what has landed durable. */
    void sync() throws IOException;

    /** Lands and syncs what was captured and closes; for a full segment. {@link #close} is still to be called if it fails. */
    default void finish() throws IOException {
        land();
        sync();
        close();
    }

    /** Closes the file. */
    @Override
    void close() throws IOException;
}
