package io.kvstore.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A file channel that an interrupt cannot close. {@link java.nio.channels.FileChannel} closes itself, for all its users, when
 * one of its callers is interrupted. {@link AsynchronousFileChannel} does not. With an executor that runs a task in the
 * submitting thread, each operation runs on the calling thread and has ended when the call returns.
 *
 * <p>Bytes on the heap pass through a direct buffer that the JDK keeps for each thread, and that is as large as the largest
 * transfer. So transfers from and to the heap are cut into pieces of {@link #HEAP_PIECE_BYTES}.
 *
 * <p>Of the asynchronous channels of other file systems nothing is known, and some are closed by interrupts. So a file that is
 * not in the file system of the operating system is opened through a {@link ShieldedChannel}.
 *
 * <p>Failures after opening are told as {@link Failures#of} says.
 */
final class DirectChannel implements AutoCloseable {

    private static final int HEAP_PIECE_BYTES = 1 << 18;
    private static final CallerRuns CALLER_RUNS = new CallerRuns();

    private final String name;
    private final AsynchronousFileChannel channel;

    private DirectChannel(String name, AsynchronousFileChannel channel) {
        this.name = name;
        this.channel = channel;
    }

    /** @param name of the file, for messages */
    static DirectChannel open(String name, Path path, Set<OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        AsynchronousFileChannel channel = FileSystemProbe.isSystems(path)
                ? AsynchronousFileChannel.open(path, options, CALLER_RUNS, attributes)
                : ShieldedChannel.open(path, options, attributes);
        return new DirectChannel(name, channel);
    }

    /** Reads once. Returns -1 at or after the end of the file. */
    int read(ByteBuffer target, long position) throws IOException {
        int limit = target.limit();
        try {
            target.limit(piece(target));
            return named(() -> ended(channel.read(target, position)));
        } finally {
            target.limit(limit);
        }
    }

    /** Writes all remaining bytes. The buffer's position moves past the written bytes, even if a later write fails. */
    void write(ByteBuffer source, long position) throws IOException {
        int limit = source.limit();
        long at = position;
        try {
            while (source.position() < limit) {
                source.limit(limit);
                source.limit(piece(source));
                long from = at;
                int count = named(() -> ended(channel.write(source, from)));
                if (count <= 0) {
                    throw new IOException("a write made no progress");
                }
                at += count;
            }
        } finally {
            source.limit(limit);
        }
    }

    private static int piece(ByteBuffer buffer) {
        return buffer.isDirect() ? buffer.limit() : buffer.position() + Math.min(buffer.remaining(), HEAP_PIECE_BYTES);
    }

    /** The result of an operation that has ended because {@link CallerRuns} ran it. Never waits. */
    private static int ended(Future<Integer> operation) throws IOException {
        if (operation.state() == Future.State.SUCCESS) {
            return operation.resultNow();
        }
        Throwable cause = operation.exceptionNow();
        throw cause instanceof IOException failure ? failure : new IOException(cause);
    }

    @FunctionalInterface
    private interface Step<T> {
        T run() throws IOException;
    }

    private <T> T named(Step<T> step) throws IOException {
        try {
            return step.run();
        } catch (IOException e) {
            throw Failures.of(name, e);
        } catch (NonWritableChannelException e) {
            throw new IOException(name + " is open for reading only", e);
        }
    }

    String name() {
        return name;
    }

    long size() throws IOException {
        return named(channel::size);
    }

    void truncate(long size) throws IOException {
        named(() -> channel.truncate(size));
    }

    /**
     * Makes content and length durable: {@code fdatasync} on Linux.
     *
     * @param all makes all durable, by {@code fsync}: for directories, whose entries {@code fdatasync} may leave out
     */
    void force(boolean all) throws IOException {
        named(() -> {
            channel.force(all);
            return true;
        });
    }

    @Nullable
    FileLock tryLock(boolean shared) throws IOException {
        return channel.tryLock(0, Long.MAX_VALUE, shared);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** Runs each task inside {@link #execute}. It has no threads, so there is nothing to shut down. */
    private static final class CallerRuns extends AbstractExecutorService {

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
