package io.kvstore.bench.files;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A format of files that are built once and read afterwards. */
interface LookupFile {

    /** Adds entries to a file that is being built. */
    interface Building extends AutoCloseable {
        void put(byte[] key, byte[] value) throws IOException;

        /** Completes the file. */
        @Override
        void close() throws IOException;
    }

    /** Looks keys up, for one thread. */
    @FunctionalInterface
    interface Lookup {
        byte @Nullable [] get(byte[] key) throws IOException;
    }

    /** An open file. */
    interface Open extends AutoCloseable {
        /** For one thread. */
        Lookup lookup() throws IOException;

        @Override
        void close() throws IOException;
    }

    Building build(Path directory) throws IOException;

    Open open(Path directory) throws IOException;
}
