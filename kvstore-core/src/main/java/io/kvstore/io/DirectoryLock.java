package io.kvstore.io;

import io.kvstore.error.Notices;
import io.kvstore.error.StoreLockedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The lock that keeps a second owner out of a directory, across processes and within one process. Owners that only read share
 * it.
 *
 * <p>The lock is a lock on a file. Across processes the system keeps it, until the process ends or closes <em>any</em>
 * descriptor of that file. Within a process the JDK keeps it for all class loaders, and throws an
 * {@link OverlappingFileLockException} if the file is locked already. Only this exception decides. No system property does,
 * because other code may reset a property.
 *
 * <p>Invariants, so that no code drops a lock that another owner holds:
 *
 * <ol>
 *   <li>A descriptor of a file that this process has locked is closed by the owner of the lock only. So a channel that was
 *       opened in vain because of an overlap stays open and is kept in {@link #OPENED}, at most one of each kind for each file.
 *       The next attempt is made through that channel.
 *   <li>The locks that this class loader holds are in {@link #HELD}, so that mostly nothing has to be opened to find an
 *       overlap.
 *   <li>Both maps are keyed by the identity of the file. No other file can get this identity while the file is open, even if
 *       its directory was deleted without closing the store.
 *   <li>Every step happens under {@link #PROCESS}, which is one object for all class loaders.
 * </ol>
 *
 * <p>A file system other than that of the operating system may have no locks, or locks that keep nobody out. There
 * {@link #HELD} alone keeps the owners of this class loader apart: see {@link FileSystemAbility#FILE_LOCKS}.
 */
final class DirectoryLock implements StorageLock {

    private static final Object PROCESS = "io.kvstore.io.DirectoryLock".intern();
    private static final Map<Object, Held> HELD = new HashMap<>();
    private static final Map<Opened, DirectChannel> OPENED = new HashMap<>();

    private static final Set<OpenOption> OPTIONS = Set.of(
            StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    private static final int MAX_OWNER_BYTES = 20;

    private final Held held;
    private final AtomicInteger openResources;
    private boolean closed;

    private record Opened(Object identity, boolean shared) {}

    /** A file of a file system of which there may be several in a process, each with files of the same keys. */
    private record Foreign(FileSystem fileSystem, Object key) {}

    /** A locked file. The reference to its lock is needed, because the JDK forgets a lock that nothing refers to. */
    private static final class Held {
        private final Object identity;
        private final DirectChannel channel;
        private final boolean shared;
        private final @Nullable FileLock lock;
        private int owners;

        /** @param lock null where the file system has no locks */
        Held(Object identity, DirectChannel channel, boolean shared, @Nullable FileLock lock) {
            this.identity = identity;
            this.channel = channel;
            this.shared = shared;
            this.lock = lock;
        }

        boolean isShared() {
            return shared;
        }

        @Override
        public String toString() {
            return identity + " locked by " + lock;
        }
    }

    private DirectoryLock(Held held, AtomicInteger openResources) {
        this.held = held;
        this.openResources = openResources;
        held.owners++;
        openResources.incrementAndGet();
    }

    /** Takes the lock for a single owner. Makes the file if it does not exist. */
    static DirectoryLock take(Path file, FileAttribute<?>[] attributes, AtomicInteger openResources)
            throws IOException {
        return take(file, OPTIONS, attributes, openResources);
    }

    /** Takes the lock of an existing file for a single owner. Makes no file: then the file may be the lock of another owner. */
    static DirectoryLock takeExisting(Path file, AtomicInteger openResources) throws IOException {
        return take(file, RealStorage.OPEN, new FileAttribute<?>[0], openResources);
    }

    private static DirectoryLock take(
            Path file, Set<OpenOption> options, FileAttribute<?>[] attributes, AtomicInteger openResources)
            throws IOException {
        synchronized (PROCESS) {
            Object identity = identityOf(file);
            if (identity != null && HELD.containsKey(identity)) {
                throw locked(file, ProcessHandle.current().pid());
            }
            Held held = lock(file, identity, options, attributes);
            try {
                writeOwner(held.channel);
                return new DirectoryLock(held, openResources);
            } finally {
                letGoIfUnowned(held);
            }
        }
    }

    /** Takes the lock of an existing file, shared with other owners that only read. */
    static DirectoryLock takeShared(Path file, AtomicInteger openResources) throws IOException {
        synchronized (PROCESS) {
            Object identity = identityOf(file);
            Held held = identity == null ? null : HELD.get(identity);
            if (held != null && !held.isShared()) {
                throw locked(file, ProcessHandle.current().pid());
            }
            Held taken = held != null ? held : lock(file, identity, RealStorage.OPEN_READ_ONLY);
            try {
                return new DirectoryLock(taken, openResources);
            } finally {
                letGoIfUnowned(taken);
            }
        }
    }

    /** Releases the lock if it has no owner: after the last owner, or after an owner that could not be made. */
    private static void letGoIfUnowned(Held held) throws IOException {
        if (held.owners == 0) {
            HELD.remove(held.identity);
            held.channel.close();
        }
    }

    private static @Nullable Object identityOf(Path file) throws IOException {
        try {
            Object key = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
            Object known = key == null ? file : key;
            return FileSystemProbe.isSystems(file) ? known : new Foreign(file.getFileSystem(), known);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static Held lock(
            Path file, @Nullable Object before, Set<OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        boolean shared = !options.contains(StandardOpenOption.WRITE);
        DirectChannel parked = before == null ? null : OPENED.remove(new Opened(before, shared));
        DirectChannel channel = parked != null ? parked : open(file, options, attributes);
        boolean keep = false;
        try {
            Object identity = identityOf(file);
            Object known = identity == null ? file : identity;
            FileLock lock = null;
            try {
                lock = channel.tryLock(shared);
                if (lock == null) {
                    throw locked(file, readOwner(channel));
                }
            } catch (UnsupportedOperationException e) {
                Notices.debug(DirectoryLock.class, file.toString(), "its file system has no locks", e);
            } catch (OverlappingFileLockException e) {
                OPENED.put(new Opened(known, shared), channel);
                keep = true;
                throw locked(file, ProcessHandle.current().pid());
            }
            Held held = new Held(known, channel, shared, lock);
            HELD.put(known, held);
            keep = true;
            return held;
        } catch (IOException e) {
            throw Failures.of(file.toString(), e);
        } finally {
            if (!keep) {
                channel.close();
            }
        }
    }

    private static DirectChannel open(Path file, Set<OpenOption> options, FileAttribute<?>[] attributes)
            throws IOException {
        try {
            return DirectChannel.open(file.toString(), file, options, attributes);
        } catch (IOException e) {
            throw Failures.ofOpening(file.toString(), e);
        }
    }

    private static StoreLockedException locked(Path file, long owner) {
        String who = owner == ProcessHandle.current().pid()
                ? "this process"
                : owner < 0 ? "another process" : "process " + owner;
        return new StoreLockedException(
                owner,
                file.getParent() + " is in use by " + who + "; close the store there, or open another directory");
    }

    /** Writes the process id of the owner, for people only: a disk without room for it does not keep a store from opening. */
    private static void writeOwner(DirectChannel channel) {
        byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
        try {
            channel.write(ByteBuffer.wrap(pid), 0);
            channel.truncate(pid.length);
        } catch (IOException e) {
            Notices.debug(DirectoryLock.class, null, "the owner of the lock could not be written", e);
        }
    }

    /** The id of the process that wrote the file last. -1 if that process has ended, so that a reader must hold the lock. */
    private static long readOwner(DirectChannel channel) {
        ByteBuffer text = ByteBuffer.allocate(MAX_OWNER_BYTES);
        try {
            int count = channel.read(text, 0);
            long owner = count <= 0
                    ? -1
                    : Long.parseLong(new String(text.array(), 0, count, StandardCharsets.US_ASCII).strip());
            return ProcessHandle.of(owner).isPresent() ? owner : -1;
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (PROCESS) {
            if (closed) {
                return;
            }
            closed = true;
            openResources.decrementAndGet();
            held.owners--;
            letGoIfUnowned(held);
        }
    }
}
