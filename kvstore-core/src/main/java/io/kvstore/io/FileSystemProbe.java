package io.kvstore.io;

import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what a file system can do, by trying it in the directory of a store. The name of a file system says nothing: it may
 * wrap another one. A file system that cannot do what a store needs is refused, by an error that names it.
 *
 * <p>The file system of the operating system is never tried.
 *
 * <p>Files for trying are deleted at the end. One that a crash left is hidden from the store, by its name. What cannot be tried
 * because the disk is full counts as missing.
 */
final class FileSystemProbe {

    /** The names of files for trying begin with this, and no others. */
    static final String PREFIX = ".kvstore-probe-";

    private final Path directory;
    private final Set<FileSystemAbility> missing = EnumSet.noneOf(FileSystemAbility.class);

    private FileSystemProbe(Path directory) {
        this.directory = directory;
    }

    /** Whether a path is in the file system of the operating system. */
    static boolean isSystems(Path path) {
        return path.getFileSystem().equals(FileSystems.getDefault());
    }

    /** Whether files can get permissions of POSIX. */
    static boolean hasPermissions(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /**
     * Whether the directory, or the nearest parent that exists, can be opened and synced. On the file system of a POSIX system
     * it can. Other systems order changes of directories themselves.
     */
    static boolean syncsDirectories(Path directory) {
        if (isSystems(directory)) {
            return hasPermissions(directory);
        }
        Path existing = directory.toAbsolutePath();
        while (existing != null && !Files.isDirectory(existing)) {
            existing = existing.getParent();
        }
        if (existing == null) {
            return false;
        }
        try (DirectChannel channel = DirectChannel.open(existing.toString(), existing, RealStorage.OPEN_READ_ONLY)) {
            channel.force(true);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * What the file system of a directory of a store lacks. Empty for that of the operating system.
     *
     * @param writes whether files may be made for trying; otherwise an existing one is read
     * @throws InvalidRequestException if a store cannot be there
     */
    static Set<FileSystemAbility> missing(Path directory, boolean writes) throws IOException {
        if (isSystems(directory)) {
            return Set.of();
        }
        Set<FileSystemAbility> missing = tried(directory, writes);
        tell(directory, missing);
        return Collections.unmodifiableSet(missing);
    }

    /** What the file system of a directory lacks, whichever it is. */
    static Set<FileSystemAbility> tried(Path directory, boolean writes) throws IOException {
        FileSystemProbe probe = new FileSystemProbe(directory);
        if (writes) {
            probe.tryWriting();
        } else {
            probe.tryReading();
        }
        return probe.missing;
    }

    /** The error for a file system that cannot hold a store. */
    static InvalidRequestException refusal(Path directory, String need, @Nullable Exception cause) {
        return new InvalidRequestException(
                "no store can be in " + directory + ": its file system ("
                        + directory.getFileSystem().provider().getScheme() + ") " + need
                        + ". Give a directory of another file system, such as that of the operating system",
                cause);
    }

    private void tryWriting() throws IOException {
        Path file = directory.resolve(PREFIX + UUID.randomUUID());
        Path other = directory.resolve(file.getFileName() + "-other");
        try {
            make(file);
            make(other);
            tryRenaming(file, other);
            tryOptional(other, true);
            if (!UncachedWrites.isPossible(other)) {
                missing.add(FileSystemAbility.UNCACHED_WRITES);
            }
            tryDeleting(other);
        } finally {
            delete(file);
            delete(other);
        }
        if (!syncsDirectories(directory)) {
            missing.add(FileSystemAbility.DIRECTORY_SYNC);
        }
        if (!hasPermissions(directory)) {
            missing.add(FileSystemAbility.OWNERS_ONLY);
        }
    }

    /** Of a store this takes the catalog, which is first by name. Its lock file must not be opened and closed by others. */
    private void tryReading() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, Files::isRegularFile)) {
            List<Path> filled = new ArrayList<>();
            for (Path file : files) {
                if (Files.size(file) > 0) {
                    filled.add(file);
                }
            }
            if (!filled.isEmpty()) {
                tryOptional(Collections.min(filled), false);
            }
        }
    }

    private void make(Path file) throws IOException {
        try (DirectChannel channel = DirectChannel.open(file.toString(), file, RealStorage.CREATE_NEW)) {
            channel.force(false);
        } catch (IOException e) {
            throw Failures.ofOpening(file.toString(), e);
        } catch (UnsupportedOperationException e) {
            throw cannotOpen(e);
        }
    }

    private InvalidRequestException cannotOpen(RuntimeException cause) {
        return refusal(directory, "cannot open a file as a FileChannel, to be read and written at any position", cause);
    }

    /** A file that another one replaces stays readable to those that have it open. */
    private void tryRenaming(Path from, Path to) throws IOException {
        try (DirectChannel replaced = open(to, RealStorage.OPEN)) {
            RealStorage.move(from, to);
            replaced.read(ByteBuffer.allocate(1), 0);
        } catch (UnsupportedOperationException | FileSystemException e) {
            throw refusal(directory, "cannot rename a file over another one in one step", e);
        }
    }

    private void tryDeleting(Path file) throws IOException {
        try (DirectChannel deleted = open(file, RealStorage.OPEN)) {
            Files.delete(file);
            deleted.read(ByteBuffer.allocate(1), 0);
        } catch (UnsupportedOperationException | FileSystemException e) {
            throw refusal(directory, "cannot delete a file that is open", e);
        }
    }

    private void tryOptional(Path file, boolean writes) throws IOException {
        Set<OpenOption> options = writes ? RealStorage.OPEN : RealStorage.OPEN_READ_ONLY;
        try (DirectChannel channel = open(file, options);
                DirectChannel second = open(file, options)) {
            if (!(writes ? mapsForWriting(file, channel) : mapsForReading(file, channel))) {
                missing.add(FileSystemAbility.MAPPED_FILES);
            }
            if (!locks(channel, second, !writes)) {
                missing.add(FileSystemAbility.FILE_LOCKS);
            }
        }
    }

    private DirectChannel open(Path file, Set<OpenOption> options) throws IOException {
        try {
            return DirectChannel.open(file.toString(), file, options);
        } catch (UnsupportedOperationException e) {
            throw cannotOpen(e);
        }
    }

    /** Whether bytes that are stored in a mapping are those that are read from the file. */
    private static boolean mapsForWriting(Path file, DirectChannel channel) {
        ByteBuffer read = ByteBuffer.allocate(1);
        try {
            channel.write(ByteBuffer.allocate(1), 0);
            try (RealMapping mapping = RealMapping.of(file, 1, new AtomicInteger())) {
                mapping.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
                mapping.force(0, 1);
                return channel.read(read, 0) == 1 && read.get(0) == 1;
            }
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static boolean mapsForReading(Path file, DirectChannel channel) {
        ByteBuffer read = ByteBuffer.allocate(1);
        try (RealReadMapping mapping = RealReadMapping.of(file, 1, new AtomicInteger())) {
            return channel.read(read, 0) == 1 && read.get(0) == mapping.memory().get(ValueLayout.JAVA_BYTE, 0);
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** Whether a lock through one channel is refused through another, as the JDK does it for the whole process. */
    private static boolean locks(DirectChannel first, DirectChannel second, boolean shared) throws IOException {
        FileLock lock = null;
        try {
            lock = first.tryLock(shared);
            return lock == null || second.tryLock(shared) == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (UnsupportedOperationException e) {
            return false;
        } finally {
            Reference.reachabilityFence(lock); // the JDK forgets a lock that nothing refers to
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException | UnsupportedOperationException e) {
            Notices.debug(FileSystemProbe.class, file.toString(), "a file for trying could not be deleted", e);
        }
    }

    private static void tell(Path directory, Set<FileSystemAbility> missing) {
        String lacks = missing.stream().map(FileSystemAbility::lack).collect(Collectors.joining("; "));
        if (missing.stream().anyMatch(FileSystemAbility::isPromised)) {
            Notices.warning(FileSystemProbe.class, directory.toString(), "of its file system: " + lacks, null);
        } else if (!missing.isEmpty()) {
            Notices.info(FileSystemProbe.class, directory.toString(), "of its file system: " + lacks, null);
        }
    }
}
