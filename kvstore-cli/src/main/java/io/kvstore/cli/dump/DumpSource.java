package io.kvstore.cli.dump;

import java.io.IOException;

/** Reads a dump, one entry at a time. For use by one thread. */
public interface DumpSource extends AutoCloseable {

    Contents contents();

    /** From now on an entry with a longer value is refused, before memory is taken for all of it. */
    void setMostValueBytes(long bytes);

    /**
     * Goes to the next entry. Returns false if there is none, and then all of the dump was there, and sound.
     *
     * @throws io.kvstore.error.CorruptionException if the dump is damaged or was cut off here
     */
    boolean next() throws IOException;

    /** The number of the table of the present entry. It never goes back. */
    int table();

    byte[] key();

    byte[] value();

    @Override
    void close() throws IOException;
}
