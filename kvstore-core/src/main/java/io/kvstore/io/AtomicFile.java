package io.kvstore.io;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a small file in one step: after a crash the file holds either all of the old bytes or all of the new bytes.
 *
 * <p>The new bytes go to a temporary file, whose name ends in {@link #TEMPORARY}. This file is synced and renamed over the old
 * one, and then the directory is synced. A failure before the rename leaves the old file. A failure after it leaves either
 * file, so the caller treats it as final. A temporary file that a crash left is replaced by the next write and ignored by
 * readers.
 */
public final class AtomicFile {

    /** The end of the name under which new bytes are prepared. */
    public static final String TEMPORARY = ".tmp";

    private AtomicFile() {}

    /** Replaces or creates the file, which is durable on return. Only one thread at a time may write a path. */
    public static void write(Storage storage, String path, ByteBuffer bytes) throws IOException {
        try (Staged staged = stage(storage, path, bytes)) {
            staged.publish();
        }
    }

    /** First half of {@link #write}: makes the new bytes durable beside the file. A failure changes nothing. */
    public static Staged stage(Storage storage, String path, ByteBuffer bytes) throws IOException {
        Staged staged = new Staged(storage, path);
        try {
            staged.prepare(bytes);
            return staged;
        } catch (Throwable e) {
            staged.close();
            throw e;
        }
    }

    /** New bytes beside a file. To give them the file's name nothing has to be opened any more. */
    public static final class Staged implements AutoCloseable {

        private final Storage storage;
        private final String path;
        private final StorageDirectory directory;

        private Staged(Storage storage, String path) throws IOException {
            this.storage = storage;
            this.path = path;
            this.directory = storage.openDirectory(path.substring(0, Math.max(path.lastIndexOf('/'), 0)));
        }

        private void prepare(ByteBuffer bytes) throws IOException {
            String temporary = path + TEMPORARY;
            storage.delete(temporary);
            try (StorageFile file = storage.create(temporary)) {
                file.write(bytes, 0);
                file.sync();
            }
        }

        /** Second half of {@link #write}: gives the staged bytes the file's name. A failure is final. */
        public void publish() throws IOException {
            storage.rename(path + TEMPORARY, path);
            directory.sync();
        }

        /**
         * Closes the directory. Bytes that were not published stay beside the file until the next write. Throws nothing: no
         * byte is written any more, and a publication that succeeded must not look like one that failed.
         */
        @Override
        public void close() {
            try {
                directory.close();
            } catch (Throwable e) {
                Notices.warning(AtomicFile.class, path, "its directory could not be closed", e);
            }
        }
    }

    /** All bytes of the file, or null if it does not exist. A file of more than {@code maxBytes} is damaged. */
    public static byte @Nullable [] read(Storage storage, String path, int maxBytes) throws IOException {
        if (!storage.exists(path)) {
            return null;
        }
        try (StorageFile file = storage.openReadOnly(path)) {
            long size = file.size();
            if (size > maxBytes) {
                throw new CorruptionException(path, maxBytes, "has " + size + " bytes, the most is " + maxBytes);
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.readFully(bytes, 0);
            return bytes.array();
        }
    }
}
