package io.kvstore.value.append;

import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.io.FileAppender;
import io.kvstore.io.RefusedException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageDirectory;
import io.kvstore.io.StorageFile;
import io.kvstore.value.segment.ColdSegments;
import io.kvstore.value.segment.ReadBuffers;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentFormat;
import io.kvstore.value.segment.ValueSegmentInfo;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The files of a {@code ValueLog}. All writes and deletions run under one lock, which is held over I/O. A thread that holds a
 * lock for which writers of the table wait never waits for it. Syncs run one after the other, under a second lock that is taken
 * before the first. They run beside writes. The first lock is fair, so that a thread that makes values durable does not wait
 * while another thread writes one piece after the other.
 */
public final class ValueSegmentFiles implements AutoCloseable {

    private final TableContext context;
    private final StoredSegments segments;
    private final ReadBuffers buffers = new ReadBuffers();
    private final ReentrantLock lock = new ReentrantLock(true);
    private final ReentrantLock syncing = new ReentrantLock();
    private final UnleasedSegments unleased = new UnleasedSegments();
    private final Consumer<StoredSegment> closeOne = this::closeOne;
    private final Consumer<StoredSegment> deleted;

    /**
     * Files that a crash left and nothing refers to. Replay of the log is about to write their values again. To write over
     * pages that the system has in memory costs it a tenth of the cost of new pages, so the files are used again. Such a file
     * gets the name of its new segment before anything is written to it. Its old content is no valid record of that segment,
     * because checksums are seeded with the segment's number. A file into which no byte could be written is here too, if it
     * could not be deleted. Guarded by {@link #lock}.
     */
    private final Deque<String> spares = new ArrayDeque<>();

    private final CacheUse cacheUse;
    private final ColdSegments cold;
    private final SegmentMappings mappings;
    private boolean namesChanged;
    private boolean closed;

    /** Guarded by {@link #syncing}. */
    private boolean syncFailed;

    /**
     * @param unmappedBytes this many bytes of a growing segment may be read by position: see {@link SegmentMappings}
     * @param deleted is told of each segment that goes because nobody has a lease of it any more
     */
    public ValueSegmentFiles(
            TableContext context,
            StoredSegments segments,
            long unmappedBytes,
            CacheUse cacheUse,
            Consumer<StoredSegment> deleted) {
        this.context = context;
        this.deleted = deleted;
        this.cacheUse = cacheUse;
        this.cold = new ColdSegments(context);
        this.mappings = new SegmentMappings(context, cacheUse, unmappedBytes, this::mapWanted);
        this.segments = segments;
    }

    boolean passesCache() {
        return cacheUse.passesCache();
    }

    public String path(long number) {
        return context.directory() + "/" + ValueSegment.fileName(number);
    }

    long seed(long number) {
        return ValueSegmentFormat.seed(context.fileTag(), number);
    }

    /** Makes a segment that takes records, without a file yet. */
    ValueTail.Begun begin(long number, long mostBytes) {
        StoredSegment segment = new StoredSegment(number, path(number), seed(number), this::unleased);
        segments.add(segment);
        return new ValueTail.Begun(segment, ValueSegmentFormat.header(context.fileTag(), number), mostBytes);
    }

    /** Opens a segment that a durable list names, cut to its listed length. The caller gets the first lease, for that list. */
    public StoredSegment open(ValueSegmentInfo info, long liveBytes) throws IOException {
        String path = path(info.number());
        Storage storage = context.storage();
        if (!storage.exists(path)) {
            throw new CorruptionException(path, -1, "is missing; the table has values in it");
        }
        StorageFile file = context.readOnly() ? storage.openReadOnly(path) : storage.open(path);
        try {
            ValueSegment segment = ValueSegment.open(file, info, context.fileTag(), buffers);
            if (!context.readOnly() && file.size() > info.bytes()) {
                file.truncate(info.bytes());
            }
            return add(segment, false, liveBytes);
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /** Opens a segment to be read only, whatever header it has. */
    public StoredSegment openUnchecked(ValueSegmentInfo info) throws IOException {
        StorageFile file = context.storage().openReadOnly(path(info.number()));
        try {
            return add(new ValueSegment(file, info, context.fileTag(), buffers, read -> {}), false, 0);
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    public NewSegment create(long number) throws IOException {
        return new NewSegment(this, context.storage().create(path(number)), number, context.fileTag());
    }

    void delete(StorageFile incomplete) throws IOException {
        context.storage().delete(incomplete.path());
    }

    /** Adds a segment that was written as a whole, in the order of its keys, and synced. The caller gets the first lease. */
    StoredSegment add(StorageFile written, ValueSegmentInfo info) {
        lock.lock();
        try {
            namesChanged = true;
            return add(
                    new ValueSegment(written, info, context.fileTag(), buffers, mappings::noteUnmappedRead), true, 0);
        } finally {
            unlock();
        }
    }

    /** Adds a complete segment, or closes it if that fails. */
    private StoredSegment add(ValueSegment complete, boolean isInOrder, long liveBytes) {
        try {
            long seed = seed(complete.info().number());
            StoredSegment result = new StoredSegment(complete, seed, isInOrder, liveBytes, this::unleased);
            mappings.map(complete);
            segments.add(result);
            return result;
        } catch (Throwable e) {
            close(complete, false);
            throw e;
        }
    }

    /**
     * Writes the chunks that wait when this is called. Tells of each chunk that is in its file. Chunks that are added
     * meanwhile may be left to a later call; otherwise a call might never end while chunks are added as fast as they are
     * written. Returns how many chunks were written.
     */
    int write(WaitingChunks waiting, Consumer<TailChunk> written) throws IOException {
        int count = 0;
        lock.lock();
        try {
            int enough = waiting.count();
            while (count < enough && !closed) {
                ValueRun run = ValueRun.firstOf(waiting);
                write(run, chunk -> {
                    waiting.poll();
                    written.accept(chunk);
                });
                count += run.chunks().size();
                closeUnleased(); // their space comes back now, however much is still to be written
            }
            return count;
        } catch (RefusedException e) {
            throw e;
        } catch (IOException e) {
            context.failures().fail(e);
            throw e;
        } finally {
            unlock();
        }
    }

    private void write(ValueRun run, Consumer<TailChunk> written) throws IOException {
        StoredSegment of = run.segment();
        boolean isThere = segments.get(of.number()) != null;
        if (isThere && run.bytes() > 0) {
            append(run, written);
        } else {
            for (TailChunk chunk : run.chunks()) {
                written.accept(chunk);
            }
        }
        ValueSegment now = isThere ? of.file() : null;
        if (now != null && run.isLast() && now.target().size() > now.info().bytes()) {
            now.target().truncate(now.info().bytes()); // the file was a spare one, and is longer
        }
        if (now != null) {
            mappings.written(now, run.isLast());
        }
    }

    private void mapWanted() {
        lock.lock();
        try {
            for (long number : mappings.takeWanted()) {
                StoredSegment segment = segments.get(number);
                ValueSegment file = segment == null ? null : segment.file();
                if (file != null && !closed && mappings.isWorthwhile(file)) {
                    mappings.map(file);
                }
            }
        } finally {
            unlock();
        }
    }

    /** Appends a run. If a write fails, on a full disk for example, the chunks that the file has need not be written again. */
    private void append(ValueRun run, Consumer<TailChunk> written) throws IOException {
        StoredSegment of = run.segment();
        ValueSegment file = of.file();
        StorageFile target = file == null ? create(of) : file.target();
        long uncached = 0;
        try {
            uncached = append(run, target, written);
        } finally {
            if (of.file() == null) {
                discard(target);
            }
        }
        cacheUse.noteWritten(run.bytes(), uncached);
        ValueSegment now = of.file();
        if (uncached > 0 && now != null) {
            now.becomeCold(cold);
        }
    }

    private long append(ValueRun run, StorageFile target, Consumer<TailChunk> written) throws IOException {
        FileAppender out = run.appender(target);
        try {
            return run.appendTo(out);
        } finally {
            settle(run, out.flushed(), target, written);
        }
    }

    /** Releases the chunks that are whole in the file from memory. */
    private void settle(ValueRun run, long flushed, StorageFile target, Consumer<TailChunk> written) {
        StoredSegment of = run.segment();
        of.synced(false);
        for (TailChunk next : run.chunks()) {
            if (next.start() + next.length() > flushed) {
                return;
            }
            ValueSegment file = of.file();
            if (file == null) {
                of.inFile(
                        new ValueSegment(target, next.known(), context.fileTag(), buffers, mappings::noteUnmappedRead));
            } else {
                file.grown(next.known());
            }
            if (next.length() > 0) {
                of.forget(next);
            }
            written.accept(next);
        }
    }

    /** A spare file that has the name already goes first: once the segment is written, it is a spare one no more. */
    private StorageFile create(StoredSegment segment) throws IOException {
        Storage storage = context.storage();
        String path = segment.path();
        String spare = spares.contains(path) ? path : spares.peek();
        namesChanged = true;
        if (spare == null) {
            return storage.create(path);
        }
        storage.rename(spare, path);
        spares.remove(spare);
        spares.add(path); // until it is open
        StorageFile opened = storage.open(path);
        spares.remove(path);
        return opened;
    }

    /**
     * Gives up a file into which no byte could be written, so that the next attempt uses a new one. A file that cannot be
     * deleted is kept as a spare one, and used by that attempt.
     */
    private void discard(StorageFile file) {
        String path = file.path();
        boolean isDeleted = false;
        try (file) {
            context.storage().delete(path);
            isDeleted = true;
        } catch (Throwable e) {
            Notices.warning(
                    ValueSegmentFiles.class, path, "it could not be taken away after it could not be written", e);
        }
        if (!isDeleted) {
            spares.add(path);
        }
    }

    /**
     * Makes segments and their names durable. All bytes of the segments must have been written, and the segments must stay
     * until this returns. Other segments, and more of the growing one, may be written meanwhile, because a sync of one second
     * of puts takes as long as the disk needs for their bytes. A failure is final: the system may have dropped the bytes that
     * it could not write, so no later call reports that anything is durable.
     */
    public void sync(Set<Long> numbers) throws IOException {
        syncing.lock();
        try {
            if (syncFailed) {
                throw new IOException(context.directory() + ": a sync of values failed before; open the store again");
            }
            // opened first, so that no step after this one fails for want of a descriptor
            try (StorageDirectory names = context.storage().openDirectory(context.directory())) {
                sync(numbers, names);
            }
        } finally {
            syncing.unlock();
        }
    }

    private void sync(Set<Long> numbers, StorageDirectory names) throws IOException {
        Unsynced unsynced = takeUnsynced(numbers);
        try {
            for (ValueSegment file : unsynced.files) {
                file.sync();
            }
            if (unsynced.names) {
                names.sync();
            }
        } catch (IOException | RuntimeException | Error e) {
            syncFailed = true;
            context.failures().fail(e);
            throw e;
        }
    }

    private record Unsynced(List<ValueSegment> files, boolean names) {}

    /**
     * Collects the files to sync and marks them as synced before the sync, so that later writes mark them as unsynced again.
     * If this throws, nothing is changed.
     */
    private Unsynced takeUnsynced(Set<Long> numbers) {
        lock.lock();
        try {
            List<ValueSegment> files = new ArrayList<>();
            List<StoredSegment> taken = new ArrayList<>();
            for (long number : numbers) {
                StoredSegment segment = segments.get(number);
                ValueSegment file = segment == null ? null : segment.file();
                if (segment == null || file == null) {
                    throw new IllegalStateException(path(number) + " is named and not there");
                }
                if (!segment.isSynced()) {
                    files.add(file);
                    taken.add(segment);
                }
            }
            Unsynced unsynced = new Unsynced(files, namesChanged);
            for (int i = 0; i < taken.size(); i++) {
                taken.get(i).synced(true);
            }
            namesChanged = false;
            return unsynced;
        } finally {
            unlock();
        }
    }

    /** Takes a file to be written over, or deletes it if its bytes may be those of a copy of the store, too. */
    public void addSpare(String path) throws IOException {
        if (context.storage().mayBeLinked(path)) {
            context.storage().delete(path);
            return;
        }
        lock.lock();
        try {
            spares.add(path);
        } finally {
            unlock();
        }
    }

    public void deleteSpares() throws IOException {
        lock.lock();
        try {
            for (String spare = spares.peek(); spare != null; spare = spares.peek()) {
                context.storage().delete(spare);
                spares.remove();
            }
        } finally {
            unlock();
        }
    }

    private void unleased(StoredSegment segment) {
        unleased.add(segment);
        closeUnleasedIfFree();
    }

    /** Gives the lock back. Segments that were let go while it was taken are closed before another thread waits for that. */
    private void unlock() {
        lock.unlock();
        closeUnleasedIfFree();
    }

    /** Closes and deletes segments without a lease, unless the lock is taken: the thread that has it does so then. */
    private void closeUnleasedIfFree() {
        boolean goesOn = true;
        while (goesOn && !unleased.isEmpty() && lock.tryLock()) {
            try {
                goesOn = closeUnleased();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Closes and deletes segments without a lease, under the lock. Throws nothing: the caller does something else, which must
     * not fail because of that. Returns false if some are left for the next call, for want of memory for example.
     */
    private boolean closeUnleased() {
        try {
            unleased.takeAll(closeOne);
            return true;
        } catch (Throwable e) {
            Notices.warning(ValueSegmentFiles.class, context.directory(), "a file that nobody needs stays for now", e);
            return false;
        }
    }

    private void closeOne(StoredSegment gone) {
        if (segments.remove(gone)) {
            ValueSegment file = gone.file();
            if (file != null) {
                close(file, true);
            }
            deleted.accept(gone);
        }
    }

    private void close(ValueSegment file, boolean delete) {
        try {
            file.close();
            if (delete) {
                context.storage().delete(file.path());
            }
        } catch (Throwable e) {
            Notices.warning(ValueSegmentFiles.class, file.path(), "it stays until the table is opened again", e);
        }
    }

    /** Waits for running writes and syncs, then closes all files. */
    @Override
    public void close() throws IOException {
        try {
            cold.close();
        } finally {
            closeFiles();
        }
    }

    private void closeFiles() throws IOException {
        syncing.lock();
        lock.lock();
        try {
            closed = true;
            closeUnleased();
        } finally {
            try {
                segments.close();
            } finally {
                lock.unlock();
                syncing.unlock();
            }
        }
    }
}
