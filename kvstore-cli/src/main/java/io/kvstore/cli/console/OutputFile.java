package io.kvstore.cli.console;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;

/** A file of text that gets its name when it is whole. Until then a file that has the name keeps it. */
public final class OutputFile implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 << 10;

    private final Path file;
    private final Path temporary;
    private final OutputStream out;

    /** Refuses a file whose directory is not there. */
    public static void requireDirectory(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    "the directory " + directory + " of " + file + " is not there; make it first");
        }
    }

    /** Begins a file whose directory is there. */
    public OutputFile(Path file) throws IOException {
        this.file = Files.exists(file) ? file.toRealPath() : file;
        String random = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
        // A pipe or a device has its name for good.
        boolean isPlain = !Files.exists(file) || Files.isRegularFile(file);
        this.temporary =
                isPlain ? this.file.resolveSibling(this.file.getFileName() + "." + random + ".tmp") : this.file;
        OutputStream opened = isPlain
                ? Files.newOutputStream(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                : Files.newOutputStream(temporary, StandardOpenOption.WRITE);
        this.out = new BufferedOutputStream(new Named(opened, file), BUFFER_BYTES);
    }

    /** A stream whose failures name the file, which those of the system do not, such as that of a full disk. */
    private static final class Named extends FilterOutputStream {

        private final Path file;

        Named(OutputStream out, Path file) {
            super(out);
            this.file = file;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                throw new IOException("writing " + file + " failed: " + e.getMessage(), e);
            }
        }
    }

    /** The text of the file. */
    public OutputStream out() {
        return out;
    }

    /** Gives the file its name. */
    public void finish() throws IOException {
        out.close();
        if (!temporary.equals(file)) {
            try (FileChannel written = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                written.force(true); // or a loss of power could leave the name with no bytes
            }
            try {
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Deletes a file that was not finished. */
    @Override
    public void close() throws IOException {
        if (temporary.equals(file)) {
            out.close();
            return;
        }
        try {
            out.close();
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
