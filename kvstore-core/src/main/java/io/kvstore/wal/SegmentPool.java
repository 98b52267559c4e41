package io.kvstore.wal;

import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Segments prepared ahead of use: zero-filled or recycled, and synced, so that a sync of records never writes metadata. The
 * last one is the spare: on a full disk only removals may use it.
 *
 * <p>{@code making} guards creation and is held during I/O; {@link #ready} is guarded by itself and never held during I/O.
 * A file whose preparation failed is referred to by nothing and is deleted.
 */
final class SegmentPool implements AutoCloseable {

    /** Zeros come in pieces of this size, which the system keeps as units; the sync of a record writes all of its unit. */
    private static final int FILL_BYTES = 4 << 10;

    /** The same where most records are not synced one by one: larger units take less time to fill and to write to. */
    private static final int MAPPED_FILL_BYTES = 64 << 10;

    private static final long FIRST_BYTES = 4L << 20;

    /** As many prepared segments are kept for reuse; those beyond are deleted. */
    private static final int MAX_READY = 6;

    private final LogConfig config;
    private final ReentrantLock making = new ReentrantLock();
    private final ArrayDeque<LogSegment> ready = new ArrayDeque<>();
    private final long firstId;
    private long nextId;
    private int made;
    private boolean closed;
    private volatile boolean full;

    SegmentPool(LogConfig config, long nextId) {
        this.config = config;
        this.firstId = nextId;
        this.nextId = nextId;
    }

    static String pathOf(LogConfig config, long id) {
        return String.format("%s/%016d.wal", config.directory(), id);
    }

    /** Takes the next segment if it has room for {@code bytes}; null if there is none, or only the spare and it must stay. */
    @Nullable
    LogSegment take(long bytes, boolean maySpare) {
        synchronized (ready) {
            return has(bytes, maySpare) ? ready.remove() : null;
        }
    }

    /** Whether {@link #take} would find one. */
    boolean has(long bytes, boolean maySpare) {
        synchronized (ready) {
            LogSegment next = ready.peek();
            return next != null && next.capacity() >= bytes && (maySpare || ready.size() > 1);
        }
    }

    int readyCount() {
        synchronized (ready) {
            return ready.size();
        }
    }

    /** Whether the disk was full at the last preparation. */
    boolean isFull() {
        return full;
    }

    /**
     * Prepares segments until {@code count} are ready, the first of them with at least {@code bytes}.
     *
     * @throws NoSpaceException if the disk is full
     */
    void prepare(int count, long bytes) throws IOException {
        making.lock();
        try {
            if (closed) {
                return;
            }
            replaceTooSmall(bytes);
            while (readyCount() < count) {
                LogSegment next = make(Math.max(bytes, nextBytes()));
                full = false;
                synchronized (ready) {
                    ready.add(next);
                }
            }
        } catch (NoSpaceException e) {
            full = true;
            throw e;
        } finally {
            making.unlock();
        }
    }

    /**
     * Prepares a file that nothing needs any more for another life under a new id, instead of filling a new one: what it
     * holds are no frames of that id. Its head is zeroed and durable before it takes the new name, so that at any moment it
     * is either a segment before the first that is needed, or one prepared and not used. Only files that this pool made live
     * again: of others it is not known whether a sync of them has failed before.
     *
     * @return false if there are enough prepared, it has another size or was not made here; the file is as it was
     */
    boolean recycle(ActiveSegment segment) throws IOException {
        making.lock();
        try {
            boolean fits = segment.id() >= firstId && segment.bytes() == config.segmentBytes();
            if (closed || !fits || readyCount() >= MAX_READY) {
                return false;
            }
            LogSegment again = prepareAgain(segment.path(), nextId++, segment.bytes());
            full = false;
            synchronized (ready) {
                ready.add(again);
            }
            return true;
        } finally {
            making.unlock();
        }
    }

    private LogSegment prepareAgain(String path, long id, long bytes) throws IOException {
        Storage storage = config.storage();
        String next = pathOf(config, id);
        @Nullable String at = path;
        try (StorageFile file = storage.open(path)) {
            file.write(ByteBuffer.allocateDirect(LogFormat.SEGMENT_HEADER_BYTES), 0);
            file.sync();
            storage.rename(path, next);
            at = next;
            storage.syncDirectory(config.directory());
            LogSegment segment = open(config, id, storage.open(next), bytes);
            at = null;
            return segment;
        } finally {
            if (at != null) {
                storage.delete(at);
            }
        }
    }

    /**
     * The first segments are small, so that a store that is hardly written takes little room: 4, 4, 8, 16, 32 MiB, then full.
     * They grow slowly enough to be filled with zeros in the time in which those before them are filled with records.
     */
    private long nextBytes() {
        return Math.min(FIRST_BYTES << Math.clamp(made - 1L, 0, 16), config.segmentBytes());
    }

    /** A record larger than the prepared segments gets one of its own size; ids stay in the order of use. */
    private void replaceTooSmall(long bytes) throws IOException {
        synchronized (ready) {
            LogSegment first = ready.peek();
            if (first == null || first.capacity() >= bytes) {
                return;
            }
        }
        LogSegment large = make(Math.max(bytes, config.segmentBytes()));
        List<LogSegment> small;
        synchronized (ready) {
            small = List.copyOf(ready);
            ready.clear();
            ready.add(large);
        }
        for (LogSegment segment : small) {
            discard(segment);
        }
    }

    private LogSegment make(long bytes) throws IOException {
        Storage storage = config.storage();
        long id = nextId++;
        made++;
        String path = pathOf(config, id);
        boolean usable = false;
        StorageFile file = storage.create(path);
        try {
            fill(file, bytes);
            file.sync();
            storage.syncDirectory(config.directory());
            LogSegment segment = open(config, id, file, bytes);
            usable = true;
            return segment;
        } finally {
            if (!usable) {
                file.close();
                storage.delete(path);
            }
        }
    }

    /** Opens a zero-filled or recovered file for appending. */
    static LogSegment open(LogConfig config, long id, StorageFile file, long bytes) throws IOException {
        if (config.landing() == LogConfig.Landing.STAGED) {
            return new StagedSegment(id, file, bytes);
        }
        file.close();
        return new MappedSegment(id, file.path(), config.storage().map(file.path(), bytes));
    }

    private void fill(StorageFile file, long bytes) throws IOException {
        int piece = config.landing() == LogConfig.Landing.MAPPED ? MAPPED_FILL_BYTES : FILL_BYTES;
        ByteBuffer zeros = ByteBuffer.allocateDirect(piece);
        for (long at = 0; at < bytes; at += piece) {
            zeros.clear().limit((int) Math.min(piece, bytes - at));
            file.write(zeros, at);
        }
    }

    private void discard(LogSegment segment) throws IOException {
        segment.close();
        config.storage().delete(segment.path());
    }

    /** Deletes what was prepared and not used. */
    @Override
    public void close() throws IOException {
        making.lock();
        try {
            closed = true;
            for (LogSegment next = take(0, true); next != null; next = take(0, true)) {
                discard(next);
            }
        } finally {
            making.unlock();
        }
    }
}
