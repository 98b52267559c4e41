package io.kvstore.value;

import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.io.FileAppender;
import io.kvstore.io.RefusedException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageDirectory;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The files of a {@link ValueStore}. Everything that writes runs under one lock, which is held over I/O; nobody takes it who
 * holds a lock that writers of the table wait for. Syncs come one after the other, beside what is written, under a lock of
 * their own that is taken before. The lock is fair: who makes values durable is not to wait while others write one piece after
 * the other.
 */
final class ValueSegmentFiles implements AutoCloseable {

    private final TableContext context;
    private final StoredSegments segments;
    private final ReadBuffers buffers = new ReadBuffers();
    private final ReentrantLock lock = new ReentrantLock(true);
    private final ReentrantLock syncing = new ReentrantLock();
    private final Queue<Released> released = new ConcurrentLinkedQueue<>();
    private final Queue<Long> unlinked = new ConcurrentLinkedQueue<>();
    private final SpareFiles spares;
    private final CacheUse cacheUse;
    private final ColdSegments cold;
    private Set<Long> durable = Set.of();
    private final SegmentMappings mappings;
    private boolean namesChanged;
    private boolean closed;

    /** Guarded by {@link #syncing}. */
    private boolean syncFailed;

    /**
     * No files yet.
     *
     * @param unmappedBytes of a segment that grows may be read by position: see {@link SegmentMappings}
     */
    ValueSegmentFiles(TableContext context, StoredSegments segments, long unmappedBytes, CacheUse cacheUse) {
        this.context = context;
        this.cacheUse = cacheUse;
        this.cold = new ColdSegments(context);
        this.mappings = new SegmentMappings(context, cacheUse, unmappedBytes, this::mapWanted);
        this.segments = segments;
        this.spares = new SpareFiles(context);
    }

    /** Whether what comes is to be written past the system's cache of files. */
    boolean isUnread() {
        return cacheUse.isUnread();
    }

    String path(long number) {
        return context.directory() + "/" + ValueSegment.fileName(number);
    }

    long seed(long number) {
        return ValueSegmentFormat.seed(context.fileTag(), number);
    }

    /**
     * A segment that takes records, without a file yet.
     *
     * @param mostBytes it gets no more records when it would become longer
     */
    ValueTail.Begun begin(long number, long mostBytes) {
        StoredSegment segment = new StoredSegment(number, path(number), seed(number));
        segments.add(segment);
        return new ValueTail.Begun(segment, ValueSegmentFormat.header(context.fileTag(), number), mostBytes);
    }

    /**
     * Opens what a durable list names, cuts off what lies behind, and keeps the files that it does not name as spare ones.
     *
     * @return a number above any that was met
     */
    long open(ValueSegmentList list) throws IOException {
        long next = list.nextNumber();
        Set<Long> listed = numbers(list);
        for (String name : context.storage().list(context.directory())) {
            long number = ValueSegment.NAME.numberIn(name);
            if (number >= 0) {
                next = Math.max(next, number + 1);
                if (!listed.contains(number) && !context.readOnly()) {
                    spares.add(path(number));
                }
            }
        }
        for (ValueSegmentUse use : list.segments()) {
            segments.add(open(use));
        }
        durable = listed;
        return next;
    }

    private StoredSegment open(ValueSegmentUse use) throws IOException {
        String path = path(use.number());
        Storage storage = context.storage();
        if (!storage.exists(path)) {
            throw new CorruptionException(path, -1, "is missing; the table has values in it");
        }
        StorageFile file = context.readOnly() ? storage.openReadOnly(path) : storage.open(path);
        boolean opened = false;
        try {
            ValueSegment segment = ValueSegment.open(file, use.info(), context.fileTag(), buffers);
            if (!context.readOnly() && file.size() > use.info().bytes()) {
                file.truncate(use.info().bytes());
            }
            StoredSegment result = new StoredSegment(segment, seed(use.number()), use.liveBytes());
            mappings.map(segment);
            opened = true;
            return result;
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    /**
     * Writes the chunks that wait now, telling of each one that is in its file. Those that come meanwhile are left to others:
     * where they come as fast as they are written, that would have no end.
     *
     * @return how many chunks were written
     */
    int write(WaitingChunks waiting, Written written) throws IOException {
        int count = 0;
        lock.lock();
        try {
            int enough = waiting.count();
            while (count < enough && !closed) {
                ValueRun run = ValueRun.firstOf(waiting);
                write(run, chunk -> {
                    waiting.poll();
                    written.written(chunk);
                });
                count += run.chunks().size();
            }
            return count;
        } catch (RefusedException e) {
            throw e;
        } catch (IOException e) {
            context.failures().fail(e);
            throw e;
        } finally {
            lock.unlock();
            closeReleasedIfFree();
        }
    }

    /** Is told what was written. */
    @FunctionalInterface
    interface Written {

        void written(TailChunk chunk);
    }

    private void write(ValueRun run, Written written) throws IOException {
        StoredSegment of = run.segment();
        boolean isThere = segments.get(of.number()) != null;
        if (isThere && run.bytes() > 0) {
            append(run, written);
        } else {
            for (TailChunk chunk : run.chunks()) {
                written.written(chunk);
            }
        }
        ValueSegment now = isThere ? of.file() : null;
        if (now != null && run.isLast() && now.target().size() > now.info().bytes()) {
            now.target().truncate(now.info().bytes()); // it was another's
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
            lock.unlock();
            closeReleasedIfFree();
        }
    }

    /** What the file has when a write fails, on a full disk for example, need not wait any more. */
    private void append(ValueRun run, Written written) throws IOException {
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

    private long append(ValueRun run, StorageFile target, Written written) throws IOException {
        FileAppender out = run.appender(target);
        try {
            return run.appendTo(out);
        } finally {
            settle(run, out.flushed(), target, written);
        }
    }

    /** The chunks that the file has as a whole leave memory. */
    private void settle(ValueRun run, long flushed, StorageFile target, Written written) {
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
            written.written(next);
        }
    }

    private StorageFile create(StoredSegment segment) throws IOException {
        StorageFile reused = spares.take(segment.path());
        StorageFile created = reused != null ? reused : context.storage().create(segment.path());
        namesChanged = true;
        return created;
    }

    /** A file of which nothing could be written, so that the next attempt begins anew; in this one if it cannot be deleted. */
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
     * Makes segments durable, all of which were written, and their names; they stay until it returns. Others, and more of the
     * one that grows, may be written meanwhile: to sync what a second of puts left takes as long as the disk needs for it. A
     * failure is final: the system may have forgotten what it could not write, so no later call says that anything is durable.
     */
    void sync(Set<Long> numbers) throws IOException {
        syncing.lock();
        try {
            if (syncFailed) {
                throw new IOException(context.directory() + ": a sync of values failed before; open the store again");
            }
            // opened first: from then on nothing fails for want of a descriptor
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
     * What is to be synced counts as synced from now on: so what is written meanwhile does not. If something is thrown, all is
     * as it was.
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
            lock.unlock();
            closeReleasedIfFree();
        }
    }

    /** A file that no segment needs is used again for one that is made before {@link #deleteSpares}. */
    void addSpare(String path) {
        lock.lock();
        try {
            spares.add(path);
        } finally {
            lock.unlock();
        }
    }

    /** Deletes the files that no segment needed. */
    void deleteSpares() throws IOException {
        lock.lock();
        try {
            spares.delete();
        } finally {
            lock.unlock();
        }
    }

    /** Nobody looks at a state that points into the segment. */
    void unlink(long number) {
        unlinked.add(number);
    }

    /** The list is durable; it alone counts after a crash. */
    void committed(ValueSegmentList list) {
        lock.lock();
        try {
            durable = numbers(list);
        } finally {
            lock.unlock();
        }
    }

    /** Takes away the segments that are neither looked at nor named by the durable list; returns their bytes. */
    long removeUnused() {
        lock.lock();
        try {
            long bytes = 0;
            for (long number : List.copyOf(unlinked)) {
                StoredSegment segment = segments.get(number);
                if (segment != null && !durable.contains(number)) {
                    unlinked.remove(number);
                    segments.remove(number);
                    bytes += segment.end();
                    close(segment, true);
                }
            }
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes one segment away, and its file too if that is asked for: at once, or when the one who writes now has done so.
     */
    void release(long number, boolean delete) {
        released.add(new Released(number, delete));
        closeReleasedIfFree();
    }

    /** For those who found the lock taken there is one who does this after giving it back. */
    private void closeReleasedIfFree() {
        while (!released.isEmpty() && lock.tryLock()) {
            try {
                closeReleased();
            } finally {
                lock.unlock();
            }
        }
    }

    private record Released(long number, boolean delete) {}

    private void closeReleased() {
        for (Released next = released.peek(); next != null; next = released.peek()) {
            StoredSegment segment = segments.get(next.number);
            if (segment != null) {
                segments.remove(next.number);
                close(segment, next.delete);
            }
            // closing may let go of others in this thread, and of this one with them
            released.remove(next);
        }
    }

    private void close(StoredSegment segment, boolean delete) {
        ValueSegment file = segment.file();
        if (file != null) {
            try {
                file.close();
                if (delete) {
                    context.storage().delete(segment.path());
                }
            } catch (Throwable e) {
                Notices.warning(ValueSegmentFiles.class, segment.path(), "it stays until the table is opened again", e);
            }
        }
    }

    /** The numbers of what a list names. */
    static Set<Long> numbers(ValueSegmentList list) {
        Set<Long> numbers = new HashSet<>();
        list.segments().forEach(segment -> numbers.add(segment.number()));
        return numbers;
    }

    /** Waits for what is being written and synced. */
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
            closeReleased();
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
