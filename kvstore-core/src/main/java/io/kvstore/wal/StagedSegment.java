package io.kvstore.wal;

import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Records gather in memory; a group is written at one position and synced. For stores whose default is {@code SYNC}.
 *
 * <p>Two buffers take turns: records go into one while the leader writes the other, which it took under the log's lock. A
 * buffer that grew for a burst is let go after it was written.
 */
final class StagedSegment implements LogSegment {

    private static final int BUFFER_BYTES = 1 << 20;

    private final long id;
    private final StorageFile file;
    private final long capacity;

    private Stage filling;
    private Stage writing;
    private boolean unsynced;

    StagedSegment(long id, StorageFile file, long capacity) {
        this.id = id;
        this.file = file;
        this.capacity = capacity;
        this.filling = new Stage(64 << 10);
        this.writing = new Stage(64 << 10);
    }

    /** Bytes of the segment from {@code start} on. */
    private static final class Stage {
        private MemorySegment bytes;
        private long start = -1;
        private long end = -1;

        Stage(long size) {
            bytes = Arena.ofAuto().allocate(size, ValueLayout.JAVA_LONG.byteSize());
        }

        void put(byte[] source, int from, int length, long offset) {
            if (start < 0) {
                start = offset;
                end = offset;
            }
            long needed = offset + length - start;
            if (needed > bytes.byteSize()) {
                MemorySegment larger = Arena.ofAuto().allocate(Math.max(needed, bytes.byteSize() * 2));
                MemorySegment.copy(bytes, 0, larger, 0, end - start);
                bytes = larger;
            }
            if (offset > end) {
                bytes.asSlice(end - start, offset - end).fill((byte) 0);
            }
            MemorySegment.copy(source, from, bytes, ValueLayout.JAVA_BYTE, offset - start, length);
            end = offset + length;
        }

        ByteBuffer content() {
            return bytes.asSlice(0, end - start).asByteBuffer();
        }

        void clear() {
            start = -1;
            end = -1;
            if (bytes.byteSize() > BUFFER_BYTES) {
                bytes = Arena.ofAuto().allocate(BUFFER_BYTES);
            }
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
    public void put(byte[] source, int from, int length, long offset) {
        filling.put(source, from, length, offset);
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
        file.close();
    }
}
