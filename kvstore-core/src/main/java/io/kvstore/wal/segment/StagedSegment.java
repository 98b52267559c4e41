package io.kvstore.wal.segment;

import io.kvstore.bytes.Checksum;
import io.kvstore.error.Notices;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * A segment whose records gather in memory. A group of records is written at one position and synced. For stores whose default
 * is {@code SYNC}, and for all stores where files cannot be mapped.
 *
 * <p>Two buffers take turns. Records go into one buffer while the leader writes the other, which it took under the log's lock.
 * A buffer that grew for a burst shrinks after it was written.
 */
public final class StagedSegment implements LogSegment {

    private static final int FIRST_BYTES = 64 << 10;
    private static final int BUFFER_BYTES = 1 << 20;

    private final long id;
    private final StorageFile file;
    private final long capacity;

    private Stage filling;
    private Stage writing;
    private boolean unsynced;

    public StagedSegment(long id, StorageFile file, long capacity) {
        this(id, file, capacity, Arena::ofShared);
    }

    /** @param arenas gives each buffer its memory, which is closed here */
    StagedSegment(long id, StorageFile file, long capacity, Supplier<Arena> arenas) {
        this.id = id;
        this.file = file;
        this.capacity = capacity;
        this.filling = new Stage(arenas, FIRST_BYTES);
        try {
            this.writing = new Stage(arenas, FIRST_BYTES);
        } catch (Throwable e) {
            filling.free();
            throw e;
        }
    }

    /** Bytes of the segment from {@code start} on. Their memory is given back as soon as it is replaced. */
    private static final class Stage {
        private final Supplier<Arena> arenas;
        private Arena arena;
        private MemorySegment bytes;
        private long start = -1;
        private long end = -1;

        Stage(Supplier<Arena> arenas, long size) {
            this.arenas = arenas;
            this.arena = arenas.get();
            this.bytes = allocated(arena, size);
        }

        private static MemorySegment allocated(Arena fresh, long size) {
            try {
                return fresh.allocate(size);
            } catch (Throwable e) {
                fresh.close();
                throw e;
            }
        }

        /** Makes room for {@code more} bytes behind those that it holds. Changes nothing if there is no memory. */
        void reserve(long more) {
            long held = start < 0 ? 0 : end - start;
            if (held + more > bytes.byteSize()) {
                resize(Math.max(held + more, bytes.byteSize() * 2), held);
            }
        }

        private void resize(long size, long held) {
            Arena next = arenas.get();
            MemorySegment other = allocated(next, size);
            MemorySegment.copy(bytes, 0, other, 0, held);
            arena.close();
            arena = next;
            bytes = other;
        }

        void put(byte[] source, int from, int length, long offset) {
            if (start < 0) {
                start = offset;
                end = offset;
            }
            if (offset > end) {
                bytes.asSlice(end - start, offset - end).fill((byte) 0);
            }
            MemorySegment.copy(source, from, bytes, ValueLayout.JAVA_BYTE, offset - start, length);
            end = Math.max(end, offset + length);
        }

        int checksum(long offset, int length) {
            return Checksum.of(bytes, offset - start, length);
        }

        ByteBuffer content() {
            return bytes.asSlice(0, end - start).asByteBuffer();
        }

        /** The bytes were written, so that nothing may fail any more. */
        void clear() {
            start = -1;
            end = -1;
            if (bytes.byteSize() > BUFFER_BYTES) {
                shrink();
            }
        }

        private void shrink() {
            try {
                resize(BUFFER_BYTES, 0);
            } catch (OutOfMemoryError e) {
                Notices.debug(StagedSegment.class, null, "a buffer stays large until it was written again", e);
            }
        }

        void free() {
            arena.close();
        }
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String path() {
        return file.path();
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public void reserve(long bytes) {
        filling.reserve(bytes);
    }

    @Override
    public void put(byte[] source, int from, int length, long offset) {
        filling.put(source, from, length, offset);
    }

    @Override
    public int checksum(long offset, int length) {
        return filling.checksum(offset, length);
    }

    @Override
    public void capture(long end) {
        Stage taken = filling;
        filling = writing;
        writing = taken;
    }

    @Override
    public void land() throws IOException {
        if (writing.start >= 0) {
            file.write(writing.content(), writing.start);
            writing.clear();
            unsynced = true;
        }
    }

    @Override
    public void sync() throws IOException {
        if (unsynced) {
            file.sync();
            unsynced = false;
        }
    }

    @Override
    public void close() throws IOException {
        filling.free();
        writing.free();
        file.close();
    }
}
