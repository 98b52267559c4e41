package io.kvstore.io.offheap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a file's memory. It is used by its file, and by each mapping that shows it. The last user that releases it gives
 * the memory back to the process at once, by closing the arena, and then counts the bytes as free.
 *
 * <p>An arena that the garbage collector closes would be no choice: the JVM counts its memory against {@code
 * -XX:MaxDirectMemorySize}, and a heap with little garbage is not collected while deleted files pile up outside of it.
 */
final class OffHeapChunk {

    /** Nothing in a file needs more, and a greater alignment would cost bytes that nobody counts. */
    private static final long ALIGNMENT_BYTES = 64;

    private static final MemorySegment ZEROS =
            MemorySegment.ofArray(new byte[64 << 10]).asReadOnly();

    private final OffHeapLimit limit;
    private final Arena arena;
    private final MemorySegment memory;
    private final long start;
    private final AtomicInteger users = new AtomicInteger(1);

    private OffHeapChunk(OffHeapLimit limit, Arena arena, MemorySegment memory, long start) {
        this.limit = limit;
        this.arena = arena;
        this.memory = memory;
        this.start = start;
    }

    /**
     * Takes zeroed memory. Returns null, and takes nothing, if the limit or the machine has no room for it.
     *
     * @param start the offset of the chunk in its file
     */
    static @Nullable OffHeapChunk take(OffHeapLimit limit, long start, long bytes) {
        if (!limit.tryTake(bytes)) {
            return null;
        }
        Arena arena = null;
        OffHeapChunk taken = null;
        try {
            arena = Arena.ofShared();
            taken = new OffHeapChunk(limit, arena, arena.allocate(bytes, ALIGNMENT_BYTES), start);
        } catch (OutOfMemoryError e) {
            // for the caller the machine is as full as a disk can be, and that passes
        } finally {
            if (taken == null) {
                giveUp(limit, bytes, arena);
            }
        }
        return taken;
    }

    private static void giveUp(OffHeapLimit limit, long bytes, @Nullable Arena arena) {
        limit.giveBack(bytes);
        if (arena != null) {
            arena.close();
        }
    }

    MemorySegment memory() {
        return memory;
    }

    long start() {
        return start;
    }

    long bytes() {
        return memory.byteSize();
    }

    /** Fills a range with zeros. Needs no room on the heap. */
    void clear(long from, long to) {
        for (long at = from; at < to; at += ZEROS.byteSize()) {
            MemorySegment.copy(ZEROS, 0, memory, at, Math.min(ZEROS.byteSize(), to - at));
        }
    }

    /** Adds a user. The caller knows that there is one already. */
    void retain() {
        users.incrementAndGet();
    }

    /** A user is done. It does not touch the memory any more. */
    void release() {
        if (users.decrementAndGet() == 0) {
            LentArena.close(arena);
            limit.giveBack(memory.byteSize());
        }
    }
}
