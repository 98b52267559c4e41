package io.kvstore.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * A {@link FileChannel} of any file system, shielded from interrupts. Such a channel closes itself, for all its users, when a
 * thread inside it is interrupted. So each operation runs in a virtual thread of its own, which nobody else knows and so nobody
 * interrupts. The caller waits for its end. This costs five to twenty microseconds an operation, whether somebody interrupts or
 * not.
 *
 * <p>It has only the operations that a {@link DirectChannel} uses.
 */
final class ShieldedChannel extends AsynchronousFileChannel {

    private final FileChannel channel;

    private ShieldedChannel(FileChannel channel) {
        this.channel = channel;
    }

    /** @throws UnsupportedOperationException if the file system has no such channels, or does not know an option */
    static ShieldedChannel open(Path path, Set<OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        try {
            return new ShieldedChannel(apart(() -> FileChannel.open(path, options, attributes)));
        } catch (IllegalArgumentException e) {
            throw new UnsupportedOperationException("no file is opened with " + options, e);
        }
    }

    /** Runs a step in a thread of its own, and waits for its end. An interrupt of the caller is kept for later. */
    private static <T extends @Nullable Object> T apart(Callable<T> step) throws IOException {
        FutureTask<T> task = new FutureTask<>(step);
        Thread.ofVirtual().start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IOException(e);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Future<Integer> ended(Callable<Integer> step) {
        try {
            return CompletableFuture.completedFuture(apart(step));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public Future<Integer> read(ByteBuffer target, long position) {
        return ended(() -> channel.read(target, position));
    }

    @Override
    public Future<Integer> write(ByteBuffer source, long position) {
        return ended(() -> channel.write(source, position));
    }

    @Override
    public long size() throws IOException {
        return apart(channel::size);
    }

    @Override
    public AsynchronousFileChannel truncate(long size) throws IOException {
        apart(() -> channel.truncate(size));
        return this;
    }

    @Override
    public void force(boolean all) throws IOException {
        apart(() -> {
            channel.force(all);
            return true;
        });
    }

    @Override
    public @Nullable FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return ShieldedChannel.<@Nullable FileLock>apart(() -> channel.tryLock(position, size, shared));
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public Future<FileLock> lock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <A> void lock(
            long position, long size, boolean shared, A attachment, CompletionHandler<FileLock, ? super A> handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <A> void read(
            ByteBuffer target, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <A> void write(
            ByteBuffer source, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
        throw new UnsupportedOperationException();
    }
}
