package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import java.io.IOException;

/** Entries in the order of their keys, read one after the other. */
sealed interface Run permits BlockRun, FileRun, MemoryRun {

    /** A run that was written, and can be read. */
    @FunctionalInterface
    interface Source {
        /**
         * Begins before the first entry.
         *
         * @param bufferBytes length of the buffer, if the run needs one
         * @param mostEntryBytes of key and value; a longer entry is damage, and takes no memory
         */
        Run read(int bufferBytes, long mostEntryBytes);
    }

    /** Moves to the next entry. Returns false if there is none. */
    boolean next() throws IOException;

    /** The key of the present entry, in an array of its own. */
    byte[] key();

    /** The value of the present entry, which is valid until the run moves. */
    Slice value() throws IOException;
}
