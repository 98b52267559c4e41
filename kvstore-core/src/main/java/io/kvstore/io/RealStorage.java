package io.kvstore.io;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The file system below one directory. What it creates is for its owner only: directories 0700, files 0600, where the file
 * system knows such permissions. Symbolic links below the directory are not followed.
 *
 * <p>No operation goes through a channel that an interrupt closes: see {@link DirectChannel}.
 */
public final class RealStorage implements Storage {

    private static final Set<OpenOption> CREATE_NEW =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<OpenOption> OPEN = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<OpenOption> OPEN_READ_ONLY = Set.of(StandardOpenOption.READ);
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};

    private final Path root;
    private final boolean posix;
    private final AtomicInteger openResources = new AtomicInteger();
    private final UncachedWrites uncached = new UncachedWrites();

    /**
     * Creates the directory if it does not exist.
     *
     * @param root the store's directory
     */
    public RealStorage(Path root) throws IOException {
        this.posix = root.getFileSystem().supportedFileAttributeViews().contains("posix");
        createRoot(root.toAbsolutePath().normalize());
        this.root = root.toRealPath();
        if (!Files.isDirectory(this.root)) {
            throw new IOException(root + " is not a directory");
        }
    }

    private void createRoot(Path directory) throws IOException {
        Path parent = directory.getParent();
        if (parent == null || Files.exists(directory)) {
            return;
        }
        createRoot(parent);
        makeDirectory(directory);
        force(parent);
    }

    @Override
    public StorageFile create(String path) throws IOException {
        return openFile(path, CREATE_NEW, fileAttributes());
    }

    @Override
    public StorageFile open(String path) throws IOException {
        return openFile(path, OPEN, NO_ATTRIBUTES);
    }

    @Override
    public StorageFile openReadOnly(String path) throws IOException {
        return openFile(path, OPEN_READ_ONLY, NO_ATTRIBUTES);
    }

    private StorageFile openFile(String path, Set<OpenOption> options, FileAttribute<?>[] attributes)
            throws IOException {
        try {
            Path real = resolve(path);
            DirectChannel channel = DirectChannel.open(real, options, attributes);
            boolean writable = options.contains(StandardOpenOption.WRITE);
            return new RealFile(path, real, channel, writable ? uncached : null, openResources);
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    @Override
    public WritableMapping map(String path, long bytes) throws IOException {
        try {
            return RealMapping.of(resolve(path), bytes, openResources);
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    @Override
    public ReadMapping mapReadOnly(String path, long bytes) throws IOException {
        try {
            return RealReadMapping.of(resolve(path), bytes, openResources);
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    @Override
    public boolean exists(String path) throws IOException {
        try {
            Files.readAttributes(resolve(path), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public List<String> list(String directory) throws IOException {
        Path path = resolve(directory);
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (Path entry : entries) {
                names.add(String.valueOf(entry.getFileName()));
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public void createDirectory(String path) throws IOException {
        Path directory = resolve(path);
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            try {
                makeDirectory(directory);
            } catch (IOException e) {
                throw Failures.of(path, e);
            }
        }
    }

    @Override
    public void delete(String path) throws IOException {
        try {
            Files.deleteIfExists(resolve(path));
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        try {
            Files.move(resolve(from), resolve(to), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw Failures.of(from, e);
        }
    }

    @Override
    public void syncDirectory(String directory) throws IOException {
        try {
            force(resolve(directory));
        } catch (IOException e) {
            throw Failures.of(directory, e);
        }
    }

    @Override
    public long freeBytes() throws IOException {
        return Files.getFileStore(root).getUsableSpace();
    }

    @Override
    public StorageLock lock(String path) throws IOException {
        return DirectoryLock.take(root, resolve(path), fileAttributes(), openResources);
    }

    @Override
    public int openResources() {
        return openResources.get();
    }

    @Override
    public String toString() {
        return root.toString();
    }

    private Path resolve(String path) {
        return path.isEmpty() ? root : root.resolve(StoragePath.checked(path));
    }

    private void makeDirectory(Path directory) throws IOException {
        FileAttribute<?>[] attributes = posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : NO_ATTRIBUTES;
        Files.createDirectory(directory, attributes);
    }

    private FileAttribute<?>[] fileAttributes() {
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : NO_ATTRIBUTES;
    }

    /** Only POSIX systems let a directory be opened; others order directory changes themselves. */
    private void force(Path directory) throws IOException {
        if (posix) {
            try (DirectChannel channel = DirectChannel.open(directory, OPEN_READ_ONLY, NO_ATTRIBUTES)) {
                channel.forceAll();
            }
        }
    }
}
