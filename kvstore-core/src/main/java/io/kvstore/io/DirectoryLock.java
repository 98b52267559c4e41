package io.kvstore.io;

import io.kvstore.error.StoreLockedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The lock that keeps a second owner out of a directory, across processes and within one.
 *
 * <p>Across processes it is a lock on a file, which the system drops when the process ends, and also when the process
 * closes <em>any</em> descriptor of that file. So the file must not be opened a second time by the process that holds the
 * lock, not even to find out that it is locked: a system property named by the directory's identity is asked first. A
 * property, because it is shared by all class loaders of the process; the directory's identity, because a directory can be
 * reached by several paths.
 */
final class DirectoryLock implements StorageLock {

    private static final String PROPERTY_PREFIX = "io.kvstore.lock.";
    private static final Set<OpenOption> OPTIONS =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final int MAX_OWNER_BYTES = 20;

    private final String property;
    private final DirectChannel channel;
    private final AtomicInteger openResources;
    private boolean closed;

    private DirectoryLock(String property, DirectChannel channel, AtomicInteger openResources) {
        this.property = property;
        this.channel = channel;
        this.openResources = openResources;
        openResources.incrementAndGet();
    }

    static DirectoryLock take(Path root, Path file, FileAttribute<?>[] attributes, AtomicInteger openResources)
            throws IOException {
        Object identity = Files.readAttributes(root, BasicFileAttributes.class).fileKey();
        String property = PROPERTY_PREFIX + (identity == null ? root : identity) + "/" + root.relativize(file);
        if (System.getProperties().putIfAbsent(property, "held") != null) {
            throw locked(root, ProcessHandle.current().pid());
        }
        boolean taken = false;
        DirectChannel channel = null;
        try {
            channel = DirectChannel.open(file, OPTIONS, attributes);
            if (channel.tryLock() == null) {
                throw locked(root, readOwner(channel));
            }
            writeOwner(channel);
            taken = true;
            return new DirectoryLock(property, channel, openResources);
        } catch (OverlappingFileLockException e) {
            throw locked(root, ProcessHandle.current().pid());
        } catch (IOException e) {
            throw Failures.of(file.toString(), e);
        } finally {
            if (!taken) {
                System.getProperties().remove(property);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    private static StoreLockedException locked(Path root, long owner) {
        String who = owner == ProcessHandle.current().pid()
                ? "this process"
                : owner < 0 ? "another process" : "process " + owner;
        return new StoreLockedException(
                owner, root + " is in use by " + who + "; close the store there, or open another directory");
    }

    /** The owner is written for people only: a disk without room for it does not keep a store from opening. */
    private static void writeOwner(DirectChannel channel) {
        byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
        try {
            channel.write(ByteBuffer.wrap(pid), 0);
            channel.truncate(pid.length);
        } catch (IOException e) {
            System.getLogger(DirectoryLock.class.getName())
                    .log(System.Logger.Level.DEBUG, "the owner of the lock could not be written", e);
        }
    }

    private static long readOwner(DirectChannel channel) {
        ByteBuffer text = ByteBuffer.allocate(MAX_OWNER_BYTES);
        try {
            int count = channel.read(text, 0);
            return count <= 0
                    ? -1
                    : Long.parseLong(new String(text.array(), 0, count, StandardCharsets.US_ASCII).strip());
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            try {
                channel.close();
            } finally {
                System.getProperties().remove(property);
                openResources.decrementAndGet();
            }
        }
    }
}
