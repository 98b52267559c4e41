package io.kvstore.engine;

import io.kvstore.error.CorruptionException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file of a held state.
 *
 * @param name in the directory of the table, and of a copy of the table
 * @param bytes the length of a copy; the file of that name may be longer by now
 * @param isImmutable whether the file of that name never changes any more, so that a link to it is as good as a copy
 * @param source gives the bytes, until the lease is given back
 * @param lease keeps the bytes
 */
public record HeldFile(String name, long bytes, boolean isImmutable, Source source, FileLease lease) {

    /** Opens the bytes of a held file. */
    @FunctionalInterface
    public interface Source {
        Reader open() throws IOException;
    }

    /** Reads the bytes of a held file from front to back. For one thread. */
    public interface Reader extends AutoCloseable {

        /**
         * Fills the remaining room of a buffer with the bytes that follow. The caller asks for no more than the file has.
         *
         * @throws CorruptionException if the bytes are not those that were written
         */
        void read(ByteBuffer target) throws IOException;

        /** Makes the checks that need all bytes. Called once, when all were read. */
        void end() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Checks bytes of one format, which it is given from front to back. For one thread. */
    public interface Check {

        /** Takes the remaining bytes of a buffer, and throws {@link CorruptionException} if they are wrong. */
        void add(ByteBuffer bytes);

        /** All bytes were added. */
        void end();
    }

    /** Begins to check the bytes of a file. */
    @FunctionalInterface
    public interface Checker {

        /** For a file without checksums of its own. */
        Checker NONE = () -> new Check() {
            @Override
            public void add(ByteBuffer bytes) {
                bytes.position(bytes.limit());
            }

            @Override
            public void end() {
                // nothing was noted
            }
        };

        Check begin();
    }

    /** The first bytes of a file of the storage, which stay and do not change without a lease. */
    public static HeldFile of(Storage storage, String path, long bytes, boolean isImmutable, Checker checker) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        Source source = () -> {
            Check check = checker.begin(); // before the file is open, so that nothing fails afterwards
            return new FileReader(storage.openSequential(path), check);
        };
        return new HeldFile(name, bytes, isImmutable, source, FileLease.none());
    }

    /** The same file, whose bytes a lease keeps. */
    public HeldFile with(FileLease keeping) {
        return new HeldFile(name, bytes, isImmutable, source, keeping);
    }

    /** A file that was replaced meanwhile, or may be. */
    public static HeldFile of(String name, byte[] content) {
        return new HeldFile(name, content.length, false, () -> new ContentReader(content), FileLease.none());
    }

    private static final class ContentReader implements Reader {

        private final byte[] content;
        private int at;

        ContentReader(byte[] content) {
            this.content = content;
        }

        @Override
        public void read(ByteBuffer target) {
            int count = target.remaining();
            target.put(content, at, count);
            at += count;
        }

        @Override
        public void end() {
            // the content was checked when it was made
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    private static final class FileReader implements Reader {

        private final StorageFile file;
        private final Check check;
        private long at;

        FileReader(StorageFile file, Check check) {
            this.file = file;
            this.check = check;
        }

        @Override
        public void read(ByteBuffer target) throws IOException {
            int start = target.position();
            try {
                file.readFully(target, at);
            } catch (EOFException e) {
                throw new CorruptionException(file.path(), file.size(), "the file was cut");
            }
            at += target.position() - start;
            check.add(target.duplicate().flip().position(start));
        }

        @Override
        public void end() {
            check.end();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
