package io.kvstore.wal.segment;

import io.kvstore.error.Closing;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.StackProbe;
import io.kvstore.error.StorageException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.WritableMapping;
import io.kvstore.wal.format.LogFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Segments that are prepared ahead of use. They are zero-filled or recycled, and synced, so that a sync of records never writes
 * metadata. The last one that is left is the spare: on a full disk only removals may use it. A background thread prepares the
 * next segments ahead. Correctness does not depend on it: if no thread is available, or the disk is full, the writer that needs
 * a segment prepares it.
 *
 * <p>{@code making} guards creation and is held during I/O. {@link #ready} is guarded by its own monitor, which is never held
 * during I/O. Nothing refers to a file whose preparation failed: it is deleted, or is one of the {@link LeftOvers}.
 */
public final class SegmentPool implements AutoCloseable {

    /** Zeros are written in pieces of this size. The system keeps each as a unit, which a record's sync writes as a whole. */
    public static final int FILL_BYTES = 4 << 10;

    /** Size of the pieces where most records are not synced one by one. Larger units take less time to fill and to write to. */
    private static final int MAPPED_FILL_BYTES = 64 << 10;

    /** The length of the first segments, if {@link LogConfig#segmentBytes} allows it. Recovery begins with no shorter one. */
    public static final long FIRST_BYTES = 4L << 20;

    /** Files are recycled only while fewer prepared segments than this are ready. Further files are deleted. */
    private static final int MAX_READY = 6;

    private static final int ENOUGH = 2;

    private final LogConfig config;
    private final LeftOvers leftOvers;
    private final Supplier<LogFiles> all;
    private final ReentrantLock making = new ReentrantLock();
    private final ArrayDeque<LogSegment> ready = new ArrayDeque<>();
    private final long firstId;
    private long nextId;
    private int made;
    private boolean closed;
    private volatile boolean full;

    private final AtomicBoolean preparing = new AtomicBoolean();
    private final AtomicLong failedPreparations = new AtomicLong();

    /** Number of segments to prepare: 1 while the log may never need another, {@link #ENOUGH} once half of one is written. */
    private volatile int wanted = 1;

    /** @param all gives all files of the log at one moment, those of this pool included */
    public SegmentPool(LogConfig config, long nextId, Supplier<LogFiles> all) {
        this.config = config;
        this.all = all;
        this.leftOvers = new LeftOvers(config.storage());
        this.firstId = nextId;
        this.nextId = nextId;
    }

    public static String pathOf(LogConfig config, long id) {
        return config.directory() + "/" + LogConfig.SEGMENT_NAME.of(id);
    }

    /** Takes the next segment if it has room for {@code bytes}. Null if there is none, or only the spare, which must stay. */
    public @Nullable LogSegment take(long bytes, boolean maySpare) {
        synchronized (ready) {
            return has(bytes, maySpare) ? ready.remove() : null;
        }
    }

    /** Whether {@link #take} would return a segment. */
    public boolean has(long bytes, boolean maySpare) {
        synchronized (ready) {
            LogSegment next = ready.peek();
            boolean isSpare = ready.size() == 1 && next != null && next.capacity() <= config.segmentBytes();
            return next != null && next.capacity() >= bytes && (maySpare || !isSpare);
        }
    }

    public int readyCount() {
        synchronized (ready) {
            return ready.size();
        }
    }

    /** Prepared files, and files that are left over. */
    public LogFiles files() {
        synchronized (ready) {
            long bytes = ready.stream().mapToLong(LogSegment::capacity).sum();
            return new LogFiles(ready.size() + leftOvers.count(), bytes + leftOvers.bytes());
        }
    }

    /** How often a segment could not be prepared ahead. */
    public long failedPreparations() {
        return failedPreparations.get();
    }

    /** Has segments prepared ahead if too few are ready. Takes no lock for long and throws nothing. */
    public void prepareAhead() {
        if (readyCount() < ENOUGH && !full) {
            config.background().executeOnce(preparing, this::prepareWanted);
        }
    }

    /** Has more segments prepared ahead from now on, as they are needed soon. */
    public void hurry() {
        if (wanted != ENOUGH) {
            wanted = ENOUGH;
        }
        prepareAhead();
    }

    private void prepareWanted() {
        try {
            prepare(wanted, 0);
        } catch (IOException e) {
            // a writer meets this error when it requires a segment; until then the spare, if any, serves removals
            failedPreparations.incrementAndGet();
        } finally {
            preparing.set(false);
        }
    }

    /**
     * Makes sure that a segment with room for {@code bytes} is ready, by I/O if none is. False if the log has reached its
     * limit.
     *
     * @param maySpare whether it may be the spare, which is set aside for a full disk
     * @throws DiskFullException if the disk is full
     */
    public boolean require(long bytes, boolean maySpare) {
        if (has(bytes, maySpare)) {
            return true;
        }
        try {
            return prepare(ENOUGH, bytes) || has(bytes, maySpare);
        } catch (NoSpaceException e) {
            if (!has(bytes, maySpare)) {
                throw new DiskFullException(
                        "the disk has no room for another log segment; free some space and write again (removals use a"
                                + " spare)",
                        e);
            }
            return true;
        } catch (IOException e) {
            throw new StorageException("a log segment could not be prepared: " + e.getMessage(), e);
        }
    }

    /** Prepares until {@code count} are ready, the first with at least {@code bytes}. False if the log would get too long. */
    public boolean prepare(int count, long bytes) throws IOException {
        StackProbe.run(); // the caller may be about to append, with little stack left
        making.lock();
        try {
            if (closed) {
                return true;
            }
            if (!replaceTooSmall(bytes)) {
                return false;
            }
            while (readyCount() < count) {
                long size = Math.max(readyCount() == 0 ? bytes : 0, nextBytes());
                if (!mayAdd(size)) {
                    return false;
                }
                LogSegment next = make(size);
                full = false;
                synchronized (ready) {
                    ready.add(next);
                }
            }
            return true;
        } catch (NoSpaceException e) {
            full = true;
            throw e;
        } finally {
            making.unlock();
        }
    }

    /**
     * Whether the log may become longer by {@code bytes}. It always may if the current segment is its only file, because no
     * checkpoint can make room then.
     */
    private boolean mayAdd(long bytes) {
        LogFiles now = all.get();
        return now.bytes() + bytes <= config.limitBytes() || now.count() <= 1;
    }

    /** Notes a file that nothing needs any more. A call of {@link #reuse} follows. Does no I/O. */
    public void giveUp(ActiveSegment free) {
        leftOvers.add(free.path(), free.bytes());
    }

    /**
     * Recycles or deletes files that nothing needs any more and that were noted. Each file is tried. A file that cannot be
     * deleted now is tried again with the next files. A file that cannot be recycled for lack of space counts as no failure if
     * it can be deleted. The first failure is thrown at the end.
     */
    public void reuse(List<ActiveSegment> free) throws IOException {
        making.lock();
        try {
            reuseAll(free);
        } finally {
            making.unlock();
        }
    }

    private void reuseAll(List<ActiveSegment> free) throws IOException {
        boolean changed = false;
        try (Closing closing = new Closing("files of the log could not be used again")) {
            for (ActiveSegment segment : free) {
                try {
                    changed |= mayLiveAgain(segment) && recycle(segment);
                } catch (NoSpaceException e) {
                    full = true; // its file is deleted below, which makes room
                } catch (IOException e) {
                    closing.note(e);
                }
            }
            try {
                changed |= leftOvers.retry();
            } catch (IOException e) {
                closing.note(e);
            }
            if (changed) {
                config.storage().syncDirectory(config.directory());
            }
        }
    }

    /**
     * Whether a file is recycled instead of filling a new one. Only files that this pool made are recycled, because it is not
     * known of others whether a sync of them failed before. On a full disk only the spare is made this way; the other files are
     * deleted to make room.
     */
    private boolean mayLiveAgain(ActiveSegment segment) {
        boolean fits = segment.id() >= firstId && segment.bytes() == config.segmentBytes();
        return fits && !closed && readyCount() < (full ? 1 : MAX_READY);
    }

    /**
     * Prepares a file for another use under a new id. The old bytes in it are no valid frames under that id. Its head is zeroed
     * durably before the file takes its new name. So at any moment it is either a segment before the first needed one, or a
     * segment that is prepared and not used. If this fails, the file is left over, under its old or its new name.
     */
    private boolean recycle(ActiveSegment segment) throws IOException {
        Storage storage = config.storage();
        long id = nextId++;
        String next = pathOf(config, id);
        try (StorageFile file = storage.open(segment.path())) {
            file.write(ByteBuffer.allocateDirect(LogFormat.SEGMENT_HEADER_BYTES), 0);
            file.sync();
        }
        leftOvers.add(next, segment.bytes());
        storage.rename(segment.path(), next);
        leftOvers.forget(segment.path());
        storage.syncDirectory(config.directory());
        LogSegment again = open(config, id, storage.open(next), segment.bytes());
        synchronized (ready) {
            ready.add(again);
            leftOvers.forget(next);
        }
        return true;
    }

    /**
     * The first segments are small, so that a store that is hardly written takes little room: 4, 4, 8, 16, 32 MiB, then the
     * configured size. Sizes grow slowly enough that a segment is filled with zeros while the segments before it are filled
     * with records.
     */
    private long nextBytes() {
        return Math.min(FIRST_BYTES << Math.clamp(made - 1L, 0, 16), config.segmentBytes());
    }

    /**
     * Makes a segment for a record that is larger than the first prepared one, and discards the prepared ones, so that ids stay
     * in the order of use. False if the log would become longer than its limit.
     */
    private boolean replaceTooSmall(long bytes) throws IOException {
        synchronized (ready) {
            LogSegment first = ready.peek();
            if (first == null || first.capacity() >= bytes) {
                return true;
            }
        }
        long size = Math.max(bytes, config.segmentBytes());
        if (!mayAdd(size)) {
            discardAll(takeAll());
        }
        if (!mayAdd(size)) {
            return false;
        }
        LogSegment large = make(size);
        List<LogSegment> small = takeAll();
        synchronized (ready) {
            ready.add(large);
        }
        discardAll(small);
        return true;
    }

    private LogSegment make(long bytes) throws IOException {
        Storage storage = config.storage();
        long id = nextId++;
        made++;
        String path = pathOf(config, id);
        leftOvers.add(path, bytes);
        @Nullable StorageFile file = null;
        LogSegment segment;
        try {
            file = storage.create(path);
            fill(file, 0, bytes, config.landing() == LogConfig.Landing.MAPPED ? MAPPED_FILL_BYTES : FILL_BYTES);
            file.sync();
            storage.syncDirectory(config.directory());
            segment = open(config, id, file, bytes);
        } catch (Throwable e) {
            giveUp(file, path, bytes);
            throw e;
        }
        leftOvers.forget(path);
        return segment;
    }

    private void giveUp(@Nullable StorageFile file, String path, long bytes) throws IOException {
        if (file != null) {
            file.close();
        }
        leftOvers.delete(path, bytes);
    }

    /** Opens a zero-filled or recovered file for appending. */
    public static LogSegment open(LogConfig config, long id, StorageFile file, long bytes) throws IOException {
        if (config.landing() == LogConfig.Landing.STAGED) {
            try {
                return new StagedSegment(id, file, bytes);
            } catch (Throwable e) {
                file.close();
                throw e;
            }
        }
        file.close();
        WritableMapping mapping = config.storage().map(file.path(), bytes);
        try {
            return new MappedSegment(id, file.path(), mapping);
        } catch (Throwable e) {
            mapping.close();
            throw e;
        }
    }

    /** Writes zeros between two offsets, in pieces that end at multiples of their length. */
    public static void fill(StorageFile file, long from, long to, int piece) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(piece);
        for (long at = from; at < to; at += zeros.limit()) {
            zeros.clear().limit((int) Math.min(piece - at % piece, to - at));
            file.write(zeros, at);
        }
    }

    private void discard(LogSegment segment) throws IOException {
        leftOvers.add(segment.path(), segment.capacity());
        segment.close();
        leftOvers.delete(segment.path(), segment.capacity());
    }

    private void discardAll(List<LogSegment> segments) throws IOException {
        try (Closing closing = new Closing("prepared segments of the log could not be given up")) {
            for (LogSegment segment : segments) {
                try {
                    discard(segment);
                } catch (Throwable e) {
                    closing.note(e);
                }
            }
        }
    }

    private List<LogSegment> takeAll() {
        synchronized (ready) {
            List<LogSegment> all = List.copyOf(ready);
            ready.clear();
            return all;
        }
    }

    /** Deletes the prepared segments that were not used, and the files that are left over. */
    @Override
    public void close() throws IOException {
        making.lock();
        try {
            closed = true;
            try {
                discardAll(takeAll());
            } finally {
                leftOvers.retry();
            }
        } finally {
            making.unlock();
        }
    }
}
