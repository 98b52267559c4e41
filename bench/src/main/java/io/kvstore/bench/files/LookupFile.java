package io.kvstore.bench.files;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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

    /** Reads entries in the order of their keys, for one thread. */
    @FunctionalInterface
    interface Scans {
        /** Reads at most {@code limit} entries, beginning with a key. Returns how many there were. */
        int scan(byte[] from, int limit) throws IOException;
    }

    /** An open file. */
    interface Open extends AutoCloseable {
        /** For one thread. */
        Lookup lookup() throws IOException;

        /** For one thread; null if the format has no order of keys, or none that a reader sees. */
        default @Nullable Scans scans() throws IOException {
            return null;
        }

        @Override
        void close() throws IOException;
    }

    Building build(Path directory) throws IOException;

    Open open(Path directory) throws IOException;

    /** Whether its files take as much of the disk as they are long. */
    default boolean isSizeTold() {
        return true;
    }

    /** The flags that its JVM is started with. */
    default List<String> jvmFlags() {
        return List.of();
    }
}
