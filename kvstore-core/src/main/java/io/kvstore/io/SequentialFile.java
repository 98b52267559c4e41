package io.kvstore.io;

import io.kvstore.bytes.ByteCopy;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A file that is read from front to back, a block at a time. A block of which the system's cache of files lacks a page is read
 * past that cache, {@code O_DIRECT} on Linux: such a read costs a tenth of the processor time, and what the cache has of other
 * files stays there. The bytes of the mapping are never read: the system is only asked which of its pages are cached.
 *
 * <p>A block has the bytes that the file had when the block was read. So later bytes of a file that grows are seen only if they
 * are in another block. The system writes bytes that are only cached to the disk before it reads that place past the cache.
 */
final class SequentialFile implements StorageFile {

    static final int BLOCK_BYTES = 1 << 20;
    private static final int UNIT_BYTES = StorageFile.UNCACHED_UNIT_BYTES;

    private final StorageFile cached;
    private final DirectChannel uncached;
    private final Arena arena;
    private final MemorySegment mapped;
    private final ByteBuffer block;
    private final AtomicInteger openResources;
    private long blockStart;
    private boolean refused;
    private boolean closed;

    private SequentialFile(
            StorageFile cached,
            DirectChannel uncached,
            Arena arena,
            MemorySegment mapped,
            AtomicInteger openResources) {
        this.cached = cached;
        this.uncached = uncached;
        this.arena = arena;
        this.mapped = mapped;
        this.block = arena.allocate(BLOCK_BYTES, UNIT_BYTES).asByteBuffer().limit(0);
        this.openResources = openResources;
        openResources.incrementAndGet();
    }

    /**
     * The given open file, to be read so. It is returned as it is where that is not possible or not worth it, and closed if
     * this method throws.
     */
    static StorageFile of(Path path, StorageFile cached, AtomicInteger openResources) throws IOException {
        try {
            long size = cached.size();
            if (size < UncachedWrites.LEAST_BYTES) {
                return cached;
            }
            SequentialFile file = tryOpen(path, size, cached, openResources);
            return file == null ? cached : file;
        } catch (Throwable e) {
            cached.close();
            throw e;
        }
    }

    /** Null if the file system or the JVM has no such reads or no mappings, or the process no descriptor for one. */
    private static @Nullable SequentialFile tryOpen(
            Path path, long size, StorageFile cached, AtomicInteger openResources) {
        try {
            DirectChannel uncached = UncachedWrites.openForReading(cached.path(), path);
            try {
                return mapped(path, size, cached, uncached, openResources);
            } catch (Throwable e) {
                uncached.close();
                throw e;
            }
        } catch (IOException | UnsupportedOperationException e) {
            tellOfCache(cached.path(), e);
            return null;
        }
    }

    private static SequentialFile mapped(
            Path path, long size, StorageFile cached, DirectChannel uncached, AtomicInteger openResources)
            throws IOException {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment mapped = RealMapping.map(path, size, FileChannel.MapMode.READ_ONLY, arena);
            return new SequentialFile(cached, uncached, arena, mapped, openResources);
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    private static void tellOfCache(String name, Exception cause) {
        Notices.debug(SequentialFile.class, name, "the file is read through the system's cache", cause);
    }

    @Override
    public String path() {
        return cached.path();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        if (!target.hasRemaining() || (!isInBlock(position) && !readBlock(position))) {
            return cached.read(target, position);
        }
        ByteBuffer source = block.duplicate().position((int) (position - blockStart));
        int before = target.remaining();
        ByteCopy.fill(target, source);
        return before - target.remaining();
    }

    private boolean isInBlock(long position) {
        return position >= blockStart && position - blockStart < block.limit();
    }

    /** Reads the block with a position past the cache. False if that is not possible, or the cache has all of it. */
    private boolean readBlock(long position) {
        long start = position / UNIT_BYTES * UNIT_BYTES;
        block.limit(0);
        if (refused || isCached(start)) {
            return false;
        }
        ByteBuffer target = block.duplicate().clear();
        try {
            int count = uncached.read(target, start);
            blockStart = start;
            block.limit(Math.max(count, 0));
            return isInBlock(position);
        } catch (IOException e) {
            refused = true; // if it is the disk, the read through the cache fails, too
            tellOfCache(path(), e);
            return false;
        }
    }

    /** Whether the cache has all bytes of the block that begins there, as far as the file had them when it was opened. */
    private boolean isCached(long start) {
        long end = Math.min(mapped.byteSize(), start + BLOCK_BYTES);
        return start >= end || mapped.asSlice(start, end - start).isLoaded();
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        cached.write(source, position);
    }

    @Override
    public long size() throws IOException {
        return cached.size();
    }

    @Override
    public void truncate(long size) throws IOException {
        cached.truncate(size);
    }

    @Override
    public void sync() throws IOException {
        cached.sync();
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        openResources.decrementAndGet();
        try (cached;
                uncached) {
            arena.close();
        }
    }
}
