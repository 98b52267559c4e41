package io.kvstore.server.edge;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.Supplier;

/** A small file with a secret, which only its owner may read. */
final class PrivateFile {

    private static final int MAX_BYTES = 64 << 10;
    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private PrivateFile() {}

    /**
     * Reads a file. Writes it first if it does not exist.
     *
     * @throws IOException if reading or writing fails, or if other users than the owner have access to the file
     */
    static byte[] readOrCreate(Path file, Supplier<byte[]> content) throws IOException {
        createIfAbsent(file, content);
        return read(file);
    }

    /** Writes a file, unless it exists. Returns whether it wrote the file. */
    static boolean createIfAbsent(Path file, Supplier<byte[]> content) throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        create(file, content.get());
        return true;
    }

    /** Reads a file of at most {@value #MAX_BYTES} bytes. */
    static byte[] read(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileNotFoundException(file + " does not exist");
        }
        if (isPosix(file)) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (!OWNER_ONLY.containsAll(permissions)) {
                throw new IOException(file + " can be used by others (" + PosixFilePermissions.toString(permissions)
                        + "): chmod 600 it");
            }
        }
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException(file + " has more than " + MAX_BYTES + " bytes");
        }
        return Files.readAllBytes(file);
    }

    /** Writes a file durably, as a whole or not at all. */
    private static void create(Path file, byte[] content) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null) {
            throw new IOException(file + " is a directory");
        }
        Files.createDirectories(folder);
        FileAttribute<?>[] attributes = isPosix(folder)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
        Path made = Files.createTempFile(folder, file.getFileName().toString(), ".tmp", attributes);
        boolean isMoved = false;
        try {
            write(made, content);
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
            isMoved = true;
        } finally {
            if (!isMoved) { // else each start on a full disk would leave one more
                Files.deleteIfExists(made);
            }
        }
    }

    private static void write(Path file, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    private static boolean isPosix(Path file) throws IOException {
        return Files.getFileStore(file).supportsFileAttributeView("posix");
    }
}
