package io.kvstore.io;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A mapping of {@link RealStorage}.
 *
 * <p>A channel stays open from before the first store until the mapping is closed, so that a sync through this channel
 * learns of every failed write-back. Cleaning a mapped page costs an interrupt of each core that runs the process. After
 * unmapping there is nothing to clean. On Linux, where mappings and files share one cache, a whole mapping is therefore
 * unmapped first and then synced through this channel.
 */
final class RealMapping implements WritableMapping {

    private static final boolean SYNCS_UNMAPPED =
            System.getProperty("os.name", "").equals("Linux");

    private final Path path;
    private final Arena arena;
    private final MemorySegment memory;
    private final DirectChannel channel;
    private final AtomicInteger openResources;
    private boolean closed;

    private RealMapping(
            Path path, Arena arena, MemorySegment memory, DirectChannel channel, AtomicInteger openResources) {
        this.path = path;
        this.arena = arena;
        this.memory = memory;
        this.channel = channel;
        this.openResources = openResources;
        openResources.incrementAndGet();
    }

    static RealMapping of(Path path, long bytes, AtomicInteger openResources) throws IOException {
        Arena arena = Arena.ofShared();
        DirectChannel kept = DirectChannel.open("mapping", path, RealStorage.OPEN);
        try {
            MemorySegment memory = map(path, bytes, FileChannel.MapMode.READ_WRITE, arena);
            return new RealMapping(path, arena, memory, kept, openResources);
        } catch (Throwable e) {
            arena.close();
            kept.close();
            throw e;
        }
    }

    /** Maps a file through a channel of its own. An interrupt closes only that one, and mapping starts again with another. */
    static MemorySegment map(Path path, long bytes, FileChannel.MapMode mode, Arena arena) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return tryMap(path, bytes, mode, arena);
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static MemorySegment tryMap(Path path, long bytes, FileChannel.MapMode mode, Arena arena)
            throws IOException {
        boolean isReadOnly = mode.equals(FileChannel.MapMode.READ_ONLY);
        try (FileChannel channel = FileChannel.open(path, isReadOnly ? RealStorage.OPEN_READ_ONLY : RealStorage.OPEN)) {
            if (channel.size() < bytes) {
                throw new EOFException(path + " has " + channel.size() + " bytes; wanted to map " + bytes);
            }
            return channel.map(mode, 0, bytes, arena);
        }
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public void force(long offset, long bytes) throws IOException {
        try {
            memory.asSlice(offset, bytes).force();
        } catch (UncheckedIOException e) {
            IOException cause = e.getCause();
            throw cause == null ? new IOException(e) : Failures.of("mapping", cause);
        }
    }

    @Override
    public synchronized void forceAndClose() throws IOException {
        if (closed) {
            throw new IllegalStateException("the mapping is closed");
        }
        if (!SYNCS_UNMAPPED) {
            force(0, memory.byteSize());
        }
        arena.close();
        closed = true;
        openResources.decrementAndGet();
        try (channel) {
            channel.force(false);
        }
    }

    @Override
    public @Nullable WritableMapping renew() throws IOException {
        return SYNCS_UNMAPPED ? of(path, memory.byteSize(), openResources) : null;
    }

    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            arena.close();
            closed = true;
            openResources.decrementAndGet();
            channel.close();
        }
    }
}
