package io.kvstore.io;

import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
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
import org.jspecify.annotations.Nullable;

/**
 * The file system below one directory. Directories and files that it creates are for their owner only, with permissions 0700
 * and 0600, where the file system knows such permissions.
 *
 * <p>The path of the directory is resolved as the system resolves it: a part {@code ..} leads up from the target of the links
 * before it. Below the directory no link is followed: a symbolic link in the place of a file or directory is an error that says
 * so.
 *
 * <p>No operation goes through a channel that an interrupt closes: see {@link DirectChannel}.
 *
 * <p>The directory may be in any file system of {@link java.nio.file} that can do what a store needs. What one other than that
 * of the operating system can do is tried when this is made: see {@link FileSystemProbe}.
 */
public final class RealStorage implements Storage {

    static final Set<OpenOption> CREATE_NEW =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    static final Set<OpenOption> OPEN =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    static final Set<OpenOption> OPEN_READ_ONLY = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final Path root;
    private final boolean isSystems;
    private final boolean posix;
    private final boolean syncsDirectories;
    private final Set<FileSystemAbility> missing;
    private final AtomicInteger openResources = new AtomicInteger();
    private final UncachedWrites uncached;
    private volatile @Nullable FileStore fileStore;

    /**
     * Creates the directory if it does not exist.
     *
     * @throws InvalidRequestException if the file system cannot do what a store needs
     */
    public RealStorage(Path root) throws IOException {
        this(root, true);
    }

    /**
     * The storage of a directory in which nothing is written, not even to try what its file system can do.
     *
     * @throws InvalidRequestException if there is no such directory, or the file system cannot do what a store needs
     */
    public static RealStorage forReading(Path root) throws IOException {
        requireOpen(root);
        if (!Files.isDirectory(root)) {
            throw new InvalidRequestException(root + " does not exist, and read-only creates nothing");
        }
        return new RealStorage(root, false);
    }

    private RealStorage(Path given, boolean writes) throws IOException {
        requireOpen(given);
        if (writes && given.getFileSystem().isReadOnly()) {
            throw FileSystemProbe.refusal(given, "is read-only; open a store that is there with readOnly", null);
        }
        this.isSystems = FileSystemProbe.isSystems(given);
        this.posix = FileSystemProbe.hasPermissions(given);
        Failures.prepare();
        this.syncsDirectories = FileSystemProbe.syncsDirectories(given);
        List<Path> made = new ArrayList<>();
        try {
            this.root = RootDirectory.of(given, directory -> {
                makeDurable(directory);
                made.addFirst(directory);
            });
            this.missing = tried(root, writes, made);
        } catch (UnsupportedOperationException e) {
            throw FileSystemProbe.refusal(given, "lacks an operation that a store needs (" + e + ")", e);
        }
        this.uncached = new UncachedWrites(!missing.contains(FileSystemAbility.UNCACHED_WRITES));
    }

    /** @param made directories that are removed again if a store cannot be there, the last one first */
    private static Set<FileSystemAbility> tried(Path root, boolean writes, List<Path> made) throws IOException {
        try {
            return FileSystemProbe.missing(root, writes);
        } catch (Throwable e) {
            RootDirectory.remove(made);
            throw e;
        }
    }

    private static void requireOpen(Path path) {
        if (!path.getFileSystem().isOpen()) {
            throw FileSystemProbe.refusal(path, "is closed", null);
        }
    }

    private void makeDurable(Path directory) throws IOException {
        makeDirectory(directory);
        Path parent = directory.getParent();
        if (parent != null) {
            try (RealDirectory opened = open(parent)) {
                opened.sync();
            }
        }
    }

    @Override
    public Set<FileSystemAbility> missingAbilities() {
        return missing;
    }

    @Override
    public StorageFile create(String path) throws IOException {
        return openFile(path, CREATE_NEW, ownersOnly("rw-------"));
    }

    @Override
    public StorageFile open(String path) throws IOException {
        return openFile(path, OPEN);
    }

    @Override
    public StorageFile openReadOnly(String path) throws IOException {
        return openFile(path, OPEN_READ_ONLY);
    }

    @Override
    public StorageFile openSequential(String path) throws IOException {
        StorageFile file = openReadOnly(path);
        return isSystems ? SequentialFile.of(resolve(path), file, openResources) : file;
    }

    private StorageFile openFile(String path, Set<OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        try {
            Path real = resolve(path);
            DirectChannel channel = DirectChannel.open(path, real, options, attributes);
            try {
                boolean writable = options.contains(StandardOpenOption.WRITE);
                return new RealFile(path, real, channel, writable ? uncached : null, openResources);
            } catch (Throwable e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw notOpened(path, e);
        }
    }

    @Override
    public WritableMapping map(String path, long bytes) throws IOException {
        requireMappings(path);
        try {
            return RealMapping.of(resolve(path), bytes, openResources);
        } catch (IOException e) {
            throw notOpened(path, e);
        }
    }

    @Override
    public ReadMapping mapReadOnly(String path, long bytes) throws IOException {
        requireMappings(path);
        try {
            return RealReadMapping.of(resolve(path), bytes, openResources);
        } catch (IOException e) {
            throw notOpened(path, e);
        }
    }

    private void requireMappings(String path) throws IOException {
        if (missing.contains(FileSystemAbility.MAPPED_FILES)) {
            throw new IOException(path + " cannot be mapped: its file system maps no files");
        }
    }

    private IOException notOpened(String path, IOException failure) {
        Path real = resolve(path);
        return Files.isSymbolicLink(real) ? isALink(path, failure) : Failures.ofOpening(path, failure);
    }

    private static IOException isALink(String path, @Nullable IOException failure) {
        return new IOException(
                path + " is a symbolic link, and none is followed below a store's directory; put back what it leads to,"
                        + " or move the whole directory",
                failure);
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
        if (Files.isSymbolicLink(path)) {
            throw isALink(directory, null);
        }
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (isSystems || !name.startsWith(FileSystemProbe.PREFIX)) {
                    names.add(name);
                }
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } catch (IOException e) {
            throw Failures.ofOpening(directory, e);
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

    /** Deletes a symbolic link itself, and not its target. */
    @Override
    public void deleteTree(String path) throws IOException {
        if (Files.isSymbolicLink(resolve(path))) {
            delete(path);
        } else {
            Storage.super.deleteTree(path);
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        try {
            move(resolve(from), resolve(to));
        } catch (IOException e) {
            throw Failures.of(from, e);
        }
    }

    @Override
    public void adopt(ForeignFile source, String path) throws IOException {
        Path target = resolve(path);
        Path real = source.real().path();
        // a file that this process may not write cannot be made durable by it either
        if (target.getFileSystem().equals(real.getFileSystem()) && Files.isWritable(real)) {
            try {
                Files.createLink(target, real);
                return;
            } catch (FileAlreadyExistsException e) {
                throw e;
            } catch (IOException | UnsupportedOperationException e) {
                // another disk, too many links, or a system that allows none: a copy is as good
                Notices.debug(RealStorage.class, path, "it could not be linked and is copied", e);
            }
        }
        source.copyTo(this, path);
    }

    @Override
    public ForeignFile foreign(String path) {
        return new ForeignFile(resolve(path));
    }

    @Override
    public boolean mayBeLinked(String path) throws IOException {
        try {
            Object links = Files.getAttribute(resolve(path), "unix:nlink", LinkOption.NOFOLLOW_LINKS);
            return !(links instanceof Number count) || count.longValue() != 1;
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            return true; // the file system does not tell
        }
    }

    @Override
    public void requireApart(Path place, String owner) throws IOException {
        Neighbourhood.requireApart(root, place, owner);
    }

    /** Systems replace a file whenever a move is atomic. Other file systems want to be told. */
    static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void syncDirectory(String directory) throws IOException {
        try (StorageDirectory opened = openDirectory(directory)) {
            opened.sync();
        }
    }

    @Override
    public StorageDirectory openDirectory(String directory) throws IOException {
        try {
            return open(resolve(directory));
        } catch (IOException e) {
            throw notOpened(directory, e);
        }
    }

    private RealDirectory open(Path directory) throws IOException {
        return new RealDirectory(
                syncsDirectories ? DirectChannel.open(directory.toString(), directory, OPEN_READ_ONLY) : null);
    }

    /** @param channel null where the system does not open directories */
    private record RealDirectory(@Nullable DirectChannel channel) implements StorageDirectory {

        @Override
        public void sync() throws IOException {
            if (channel != null) {
                channel.force(true);
            }
        }

        @Override
        public void close() {
            if (channel != null) {
                try {
                    channel.close();
                } catch (IOException e) {
                    // nothing is written through the channel, so nothing is lost
                }
            }
        }
    }

    @Override
    public long freeBytes() throws IOException {
        FileStore store = fileStore;
        if (store == null) {
            store = fileStore(); // reads all mounts
            fileStore = store;
        }
        return store.getUsableSpace();
    }

    private boolean isReadOnlyMedium() throws IOException {
        try {
            return Files.getFileStore(root).isReadOnly();
        } catch (UnsupportedOperationException e) {
            return false; // the file system does not tell
        }
    }

    private FileStore fileStore() throws IOException {
        try {
            return Files.getFileStore(root);
        } catch (UnsupportedOperationException e) {
            throw new IOException("the file system of " + root + " does not tell its free space", e);
        }
    }

    /** As {@link #lock}, of a file that must exist. */
    StorageLock lockExisting(String path) throws IOException {
        return DirectoryLock.takeExisting(resolve(path), openResources);
    }

    @Override
    public StorageLock lock(String path) throws IOException {
        return DirectoryLock.take(resolve(path), ownersOnly("rw-------"), openResources);
    }

    /** A read-only medium needs no lock. A store without the lock file needs none either: a writer would have made the file. */
    @Override
    public StorageLock lockShared(String path) throws IOException {
        Path file = resolve(path);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS) || isReadOnlyMedium()) {
            return () -> {};
        }
        return DirectoryLock.takeShared(file, openResources);
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
        if (path.isEmpty()) {
            return root;
        }
        String below = requireBelow(path);
        return isSystems ? root.resolve(below) : resolveParts(below);
    }

    /** Other file systems may not separate the parts of a path by a slash. */
    private Path resolveParts(String path) {
        Path resolved = root;
        for (String part : path.split("/", -1)) {
            resolved = resolved.resolve(part);
        }
        return resolved;
    }

    /** Returns the path. Fails if it is absolute, or has an empty part, a part {@code .} or {@code ..}, or a backslash. */
    static String requireBelow(String path) {
        for (String part : path.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || part.indexOf('\\') >= 0) {
                throw new IllegalArgumentException("\"" + path + "\" is not a path below the store's directory");
            }
        }
        return path;
    }

    private void makeDirectory(Path directory) throws IOException {
        Files.createDirectory(directory, ownersOnly("rwx------"));
    }

    private FileAttribute<?>[] ownersOnly(String permissions) {
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
