package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import java.io.IOException;

/** Entries in the order of their keys, read one after the other. */
sealed interface Run permits BlockRun, FileRun, MemoryRun {

    /** A run that was written, and can be read. */
    @FunctionalInterface
    interface Source {
        /** Begins before the first entry, with a buffer of so many bytes if it needs one. */
        Run read(int bufferBytes);
    }

    /** Moves to the next entry. Returns false if there is none. */
    boolean next() throws IOException;

    /** The key of the present entry, in an array of its own. */
    byte[] key();

    /** The value of the present entry, which is valid until the run moves. */
    Slice value() throws IOException;
}
