package io.kvstore.cli.rows;

import java.io.IOException;

/** Writes entries as text. For use by one thread. */
public interface EntryWriter {

    /**
     * Writes an entry.
     *
     * @throws NotTextException if key or value is no text, and the writer has been told that all are
     */
    void write(byte[] key, byte[] value) throws IOException;

    /**
     * Writes what stands behind all entries, and everything that was held back.
     *
     * @param count how many entries were written
     */
    void end(long count) throws IOException;
}
