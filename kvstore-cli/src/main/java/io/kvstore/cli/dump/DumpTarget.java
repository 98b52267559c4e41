package io.kvstore.cli.dump;

import java.io.IOException;

/** Takes what a dump has: all entries of the first table, then those of the second, and so on. For use by one thread. */
public interface DumpTarget {

    /** Begins the table with the next number; the first one is 0. */
    void beginTable(int number) throws IOException;

    /** Adds an entry to the table that was begun. */
    void entry(byte[] key, byte[] value) throws IOException;

    /** Ends the dump, which is not whole before. */
    void end() throws IOException;
}
