package io.kvstore.io;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A mapping of {@link RealStorage}. It is made through a channel of its own, which is closed at once. */
final class RealReadMapping implements ReadMapping {

    private final Arena arena;
    private final MemorySegment memory;
    private final AtomicInteger openResources;
    private final AtomicBoolean closed = new AtomicBoolean();

    private RealReadMapping(Arena arena, MemorySegment memory, AtomicInteger openResources) {
        this.arena = arena;
        this.memory = memory;
        this.openResources = openResources;
        openResources.incrementAndGet();
    }

    /** Maps a file. An interrupt closes only the channel of this call. The call then starts again with another channel. */
    static RealReadMapping of(Path path, long bytes, AtomicInteger openResources) throws IOException {
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

    private static RealReadMapping tryMap(Path path, long bytes, AtomicInteger openResources) throws IOException {
        Arena arena = Arena.ofShared();
        boolean mapped = false;
        try {
            RealReadMapping result = new RealReadMapping(arena, map(path, bytes, arena), openResources);
            mapped = true;
            return result;
        } finally {
            if (!mapped) {
                arena.close();
            }
        }
    }

    private static MemorySegment map(Path path, long bytes, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.size() < bytes) {
                throw new EOFException(path + " has " + channel.size() + " bytes; wanted to map " + bytes);
            }
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes, arena);
        }
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            arena.close();
            openResources.decrementAndGet();
        }
    }
}
