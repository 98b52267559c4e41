package io.kvstore.engine;

import java.io.IOException;

/**
 * Writes a table file. For use by one thread. After any failure the file cannot be finished. {@link #close} gives back
 * everything, and deletes a file that was not finished.
 */
public interface TableFileWriter extends AutoCloseable {

    /**
     * Adds an entry. Neither array is kept.
     *
     * @throws io.kvstore.error.InvalidRequestException if key or value is too long, or the settings refuse the key here
     * @throws io.kvstore.error.DiskFullException if the disk is full
     */
    void put(byte[] key, byte[] value) throws IOException;

    /** How many entries were put. */
    long entries();

    /**
     * Completes the file, makes it durable, and gives it its name.
     *
     * @param progress is told how many entries are in the file, of all; it may stop the work
     * @throws io.kvstore.error.InvalidRequestException if the settings refuse a key that came twice, or progress stopped the
     *     work
     */
    TableFileInfo finish(Progress progress) throws IOException;

    @Override
    void close() throws IOException;
}
