package io.kvstore.cli.console;

import io.kvstore.Backups;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file of text that gets its name when it is whole. Until then a file that has the name keeps it, and those who may read that
 * file may read this one.
 */
public final class OutputFile implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 << 10;
    private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private final Path file;
    private final Path temporary;
    private final @Nullable Set<PosixFilePermission> permissions;
    private final OutputStream out;

    /** Refuses a place whose directory is not there, or is one of a store. */
    public static void requirePlace(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    "the directory " + directory + " of " + file + " is not there; make it first");
        }
        if (isPlain(file) || Files.isDirectory(file)) {
            Backups.requireInNoStore(file);
        }
    }

    /** Whether there is no such file yet, or a plain one. A pipe or a device has its name for good. */
    private static boolean isPlain(Path file) {
        return !Files.exists(file) || Files.isRegularFile(file);
    }

    /** The file behind all links. */
    private static Path target(Path file) throws IOException {
        return Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
    }

    /** Begins a file whose directory is there. */
    public OutputFile(Path file) throws IOException {
        this.file = target(file);
        String random = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
        boolean isPlain = isPlain(file);
        this.temporary =
                isPlain ? this.file.resolveSibling(this.file.getFileName() + "." + random + ".tmp") : this.file;
        this.permissions = isPlain ? permissions(this.file) : null;
        OutputStream opened =
                isPlain ? create(temporary, permissions) : Files.newOutputStream(temporary, StandardOpenOption.WRITE);
        this.out = new BufferedOutputStream(new Named(opened, file), BUFFER_BYTES);
    }

    /** The users that may use a file; null if there is none, or if the system has no such permissions. */
    private static @Nullable Set<PosixFilePermission> permissions(Path file) throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        return view == null ? null : view.readAttributes().permissions();
    }

    /** A file in the place of another one is for its owner alone until it is whole. */
    private static OutputStream create(Path temporary, @Nullable Set<PosixFilePermission> later) throws IOException {
        FileAttribute<?>[] attributes = later == null
                ? new FileAttribute<?>[0]
                : new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                };
        return Channels.newOutputStream(Files.newByteChannel(temporary, NEW, attributes));
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
            if (permissions != null && !permissions.equals(Files.getPosixFilePermissions(temporary))) {
                Files.setPosixFilePermissions(temporary, permissions);
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
