package io.kvstore.io.offheap;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The content of one file in memory outside the heap.
 *
 * <p>A file grows by chunks that double from 4 KiB to 16 MiB, so growth copies nothing. A mapping needs its bytes in one piece.
 * The first mapping that finds them in several chunks copies them into one chunk of the right size, which the file has from
 * then on. So the bytes are there twice while they are copied, and no longer. A file that is mapped again, because it has
 * grown since, gets half of its size as room to grow in while it has a writer. So mappings of a growing file copy each byte
 * four times at most, and a file that is mapped when it is whole has no spare room. The chunk that such a mapping replaces
 * goes when the mappings of it are closed.
 *
 * <p>A file has holders: its name, and each handle. When the last holder lets go, the file gives its chunks up. A chunk that
 * mappings show stays until they are closed. So no memory is freed below a reader, and none stays after the last one.
 *
 * <p>{@link #lock} guards all fields but the counters of holders. A reader of bytes, and a writer inside the file's length,
 * share it. A thread that changes the chunks or the length has it alone. Bytes between the length and the end of the last chunk
 * are zero.
 */
public final class OffHeapFile {

    static final long LEAST_CHUNK_BYTES = 4 << 10;
    static final long MOST_CHUNK_BYTES = 16 << 20;

    private final OffHeapLimit limit;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final List<OffHeapChunk> chunks = new ArrayList<>();
    private long capacity;
    private long size;
    private int writableMappings;
    private boolean wasMapped;
    private final AtomicInteger holders = new AtomicInteger(1);
    private final AtomicInteger writers = new AtomicInteger();

    /** An empty file with one holder. */
    public OffHeapFile(OffHeapLimit limit) {
        this.limit = limit;
    }

    /** Adds a holder. The caller knows that there is one already. Waits for nobody. */
    public void hold(boolean isWriter) {
        holders.incrementAndGet();
        if (isWriter) {
            writers.incrementAndGet();
        }
    }

    /** A holder lets go. After the last one the file is empty, and its memory given back as far as no mapping shows it. */
    public void letGo(boolean isWriter) {
        if (isWriter) {
            writers.decrementAndGet();
        }
        if (holders.decrementAndGet() == 0) {
            lock.writeLock().lock();
            try {
                size = 0;
                dropChunksFrom(0);
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    public long size() {
        lock.readLock().lock();
        try {
            return size;
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Reads into the remaining room of a buffer. Returns the number of bytes, or -1 at or after the end. */
    public int read(ByteBuffer target, long position) {
        lock.readLock().lock();
        try {
            if (position >= size) {
                return -1;
            }
            int count = (int) Math.min(target.remaining(), size - position);
            copy(MemorySegment.ofBuffer(target), position, count, false);
            target.position(target.position() + count);
            return count;
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Writes all remaining bytes of a buffer. Returns false, and has written nothing, if there is no room for them. */
    public boolean write(ByteBuffer source, long position) {
        if (!source.hasRemaining()) {
            return true;
        }
        long end = Math.addExact(position, source.remaining());
        while (!writeWithin(source, position, end)) {
            if (!lengthen(end)) {
                return false;
            }
        }
        return true;
    }

    /** Writes to a range that the file has. Returns false if it ends before, maybe because another thread cut it. */
    private boolean writeWithin(ByteBuffer source, long position, long end) {
        lock.readLock().lock();
        try {
            if (end > size) {
                return false;
            }
            copy(MemorySegment.ofBuffer(source), position, end - position, true);
            source.position(source.limit());
            return true;
        } finally {
            lock.readLock().unlock();
        }
    }

    private boolean lengthen(long end) {
        lock.writeLock().lock();
        try {
            if (holders.get() == 0) {
                throw new IllegalStateException("the file was closed and deleted");
            }
            if (end > capacity && !grow(end)) {
                return false;
            }
            size = Math.max(size, end);
            return true;
        } finally {
            lock.writeLock().unlock();
        }
    }

    private boolean grow(long end) {
        long least = wholeUnits(end - capacity);
        long usual = Math.max(least, Math.clamp(capacity, LEAST_CHUNK_BYTES, MOST_CHUNK_BYTES));
        OffHeapChunk chunk = OffHeapChunk.take(limit, capacity, usual);
        if (chunk == null && least < usual) {
            chunk = OffHeapChunk.take(limit, capacity, least);
        }
        return chunk != null && add(chunk);
    }

    private boolean add(OffHeapChunk chunk) {
        boolean added = false;
        try {
            added = chunks.add(chunk);
            capacity = chunk.start() + chunk.bytes();
        } finally {
            if (!added) {
                chunk.release();
            }
        }
        return added;
    }

    private static long wholeUnits(long bytes) {
        return Math.ceilDiv(bytes, LEAST_CHUNK_BYTES) * LEAST_CHUNK_BYTES;
    }

    /** Copies between the start of a buffer and a range that the file has. */
    private void copy(MemorySegment buffer, long position, long count, boolean intoFile) {
        int index = chunkAt(position);
        for (long done = 0; done < count; index++) {
            OffHeapChunk chunk = chunks.get(index);
            long from = position + done - chunk.start();
            long part = Math.min(count - done, chunk.bytes() - from);
            if (intoFile) {
                MemorySegment.copy(buffer, done, chunk.memory(), from, part);
            } else {
                MemorySegment.copy(chunk.memory(), from, buffer, done, part);
            }
            done += part;
        }
    }

    /** The index of the chunk with the byte at a position. */
    private int chunkAt(long position) {
        int low = 0;
        int high = chunks.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (chunks.get(middle).start() <= position) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Cuts the file. Does nothing if it is shorter. Memory that is not needed any more goes, unless it is mapped. */
    public void truncate(long newSize) {
        lock.writeLock().lock();
        try {
            if (newSize >= size) {
                return;
            }
            long oldSize = size;
            size = newSize;
            if (writableMappings == 0) {
                dropChunksFrom(newSize);
            }
            clear(newSize, Math.min(oldSize, capacity));
            if (writableMappings == 0 && capacity / 2 > wholeUnits(newSize)) {
                unite(wholeUnits(newSize));
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void clear(long from, long to) {
        for (OffHeapChunk chunk : chunks) {
            long begin = Math.max(from - chunk.start(), 0);
            long end = Math.min(to - chunk.start(), chunk.bytes());
            if (begin < end) {
                chunk.clear(begin, end);
            }
        }
    }

    private void dropChunksFrom(long position) {
        while (!chunks.isEmpty() && chunks.getLast().start() >= position) {
            OffHeapChunk last = chunks.removeLast();
            capacity = last.start();
            last.release();
        }
    }

    /** Moves the file into one chunk of {@code bytes} bytes. Returns false, and changes nothing, if there is no room for it. */
    private boolean unite(long bytes) {
        OffHeapChunk one = OffHeapChunk.take(limit, 0, bytes);
        if (one == null) {
            return false;
        }
        OffHeapChunk unused = one;
        try {
            copy(one.memory(), 0, size, false);
            if (chunks.isEmpty()) {
                chunks.add(one);
                unused = null;
            } else {
                unused = chunks.set(0, one);
            }
            capacity = bytes;
        } finally {
            if (unused != null) {
                unused.release();
            }
        }
        while (chunks.size() > 1) {
            chunks.removeLast().release();
        }
        return true;
    }

    /** Bytes of a file in one piece. They stay until this is closed, whatever happens to the file. */
    public static final class Piece implements AutoCloseable {

        private final MemorySegment memory;
        private final Runnable release;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Piece(MemorySegment memory, Runnable release) {
            this.memory = memory;
            this.release = release;
        }

        public MemorySegment memory() {
            return memory;
        }

        /** The caller does not touch the memory any more. To close it again does nothing. */
        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                release.run();
            }
        }
    }

    /**
     * The first bytes of the file in one piece, which is the file's own memory.
     *
     * @param path the file's name, for messages
     * @return null if there is no room to put the bytes into one piece
     * @throws EOFException if the file is shorter
     * @throws IOException if the bytes would have to move, and are mapped for writing
     */
    public @Nullable Piece map(String path, long bytes, boolean writable) throws IOException {
        lock.writeLock().lock();
        try {
            if (size < bytes) {
                throw new EOFException(path + " has " + size + " bytes; wanted to map " + bytes);
            }
            if (chunks.isEmpty() || chunks.getFirst().bytes() < bytes) {
                if (writableMappings > 0) {
                    throw new IOException(path + " is mapped for writing, so it cannot be mapped as a longer one");
                }
                long least = wholeUnits(Math.max(size, 1));
                boolean grows = wasMapped && writers.get() > 0;
                boolean isOne = (grows && unite(wholeUnits(least + least / 2))) || unite(least);
                if (!isOne) {
                    return null;
                }
            }
            wasMapped = true;
            return piece(chunks.getFirst(), bytes, writable);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private Piece piece(OffHeapChunk chunk, long bytes, boolean writable) {
        MemorySegment memory = chunk.memory().asSlice(0, bytes);
        Piece piece =
                writable ? new Piece(memory, () -> endWriting(chunk)) : new Piece(memory.asReadOnly(), chunk::release);
        chunk.retain();
        writableMappings += writable ? 1 : 0;
        return piece;
    }

    private void endWriting(OffHeapChunk chunk) {
        lock.writeLock().lock();
        try {
            writableMappings--;
        } finally {
            lock.writeLock().unlock();
        }
        chunk.release();
    }
}
