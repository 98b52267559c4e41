package io.kvstore.io;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

/** A mapping of {@link RealStorage}. The channel it is made through is its own and closed at once. */
final class RealMapping implements WritableMapping {

    private final Arena arena;
    private final MemorySegment memory;
    private final AtomicInteger openResources;
    private boolean closed;

    private RealMapping(Arena arena, MemorySegment memory, AtomicInteger openResources) {
        this.arena = arena;
        this.memory = memory;
        this.openResources = openResources;
        openResources.incrementAndGet();
    }

    /** Maps a file. An interrupt closes only the channel of this call, which then starts anew with another. */
    static RealMapping of(Path path, long bytes, AtomicInteger openResources) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return tryMap(path, bytes, openResources);
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

    private static RealMapping tryMap(Path path, long bytes, AtomicInteger openResources) throws IOException {
        Arena arena = Arena.ofShared();
        boolean mapped = false;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() < bytes) {
                throw new EOFException(path + " has " + channel.size() + " bytes; wanted to map " + bytes);
            }
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
            mapped = true;
            return new RealMapping(arena, memory, openResources);
        } finally {
            if (!mapped) {
                arena.close();
            }
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
    public synchronized void close() {
        if (!closed) {
            arena.close();
            closed = true;
            openResources.decrementAndGet();
        }
    }
}
