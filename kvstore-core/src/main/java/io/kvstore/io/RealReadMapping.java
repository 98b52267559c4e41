package io.kvstore.io;

import io.kvstore.io.offheap.LentArena;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A mapping of {@link RealStorage} for reading. */
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

    static RealReadMapping of(Path path, long bytes, AtomicInteger openResources) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = RealMapping.map(path, bytes, FileChannel.MapMode.READ_ONLY, arena);
            return new RealReadMapping(arena, memory, openResources);
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            LentArena.close(arena);
            openResources.decrementAndGet();
        }
    }
}
