package io.kvstore.value;

import io.kvstore.data.Mutation;
import io.kvstore.engine.TableContext;
import io.kvstore.io.RefusedException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Values on their way to files that do not count yet: for an index that is in memory, and that makes the segments count
 * together with itself. A value is copied to memory when it is appended and written behind in large pieces.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A segment is written once, from front to back. A record is in memory until its file has it.
 *   <li>A segment stays until {@link #release}, whatever its file does for others meanwhile.
 *   <li>What was synced by {@link #sync} has every record that was appended before the last {@link #seal} ahead of it.
 * </ol>
 *
 * <p>One thread at a time calls {@link #reserve}, {@link #add} and {@link #seal}. All else is for any thread.
 */
public final class GrowingValues implements AutoCloseable {

    /** Of a segment that grows and is read, at most this part is not mapped. */
    private static final int UNMAPPED_PART = 8;

    private final StoredSegments segments = new StoredSegments();
    private final ValueSegmentFiles files;
    private final ValueAppender appender;
    private final CacheUse cacheUse;

    /**
     * No values yet. When so much was written as a segment has, and none is read, more is written past the system's cache.
     *
     * @param segmentBytes a segment gets no more records when it would become longer
     * @param numbers numbers the segments, upwards
     */
    public GrowingValues(TableContext context, long segmentBytes, LongSupplier numbers) {
        this.cacheUse = new CacheUse(segmentBytes);
        this.files = new ValueSegmentFiles(context, segments, segmentBytes / UNMAPPED_PART, cacheUse);
        this.appender = new ValueAppender(context, files, () -> segmentBytes, numbers, segment -> {});
    }

    /** A segment that a crash left and nothing refers to: its file may be used again, until {@link #recovered}. */
    public void reuse(String path) {
        files.addSpare(path);
    }

    /** The log was applied: files that a crash left and that were not needed for it go. */
    public void recovered() throws IOException {
        files.deleteSpares();
    }

    /**
     * Waits while too much is to be written; before any lock is taken.
     *
     * @throws io.kvstore.error.OverloadedException if that takes longer than the stall time-out
     */
    public void admit() {
        appender.admit();
    }

    /** Whether so much is to be written that {@link #admit} would wait. */
    public boolean isCongested() {
        return appender.isCongested();
    }

    /** Whether there is a {@link #refusal}. */
    public boolean isFull() {
        return appender.isFull();
    }

    /** Why no more fits into memory, if it is because the system takes nothing; else null. */
    public @Nullable RefusedException refusal() {
        return appender.refusal();
    }

    /** Has the memory at hand for adding values of at least so many bytes, in the order of the mutations. */
    public void reserve(List<Mutation> mutations, int leastBytes) {
        appender.reserve(mutations, leastBytes);
    }

    /**
     * Adds a value, which can be read from now on, without taking memory of the heap but what {@link #reserve} took.
     *
     * @return where it is in {@link #addedTo}
     */
    public long add(byte[] key, long lsn, byte[] value) {
        return appender.append(key, lsn, value);
    }

    /** The segment of the value that was added last. */
    public long addedTo() {
        return appender.appendedTo();
    }

    /** The next value begins a segment. */
    public void seal() {
        appender.seal();
        appender.rest(); // nobody knows when it comes
    }

    /**
     * Reads a value, as a fresh array; null if there is no such segment.
     *
     * @param key holds the key of the entry that has the pointer, from its first byte on
     * @throws io.kvstore.error.CorruptionException if another value or none is there
     */
    public byte @Nullable [] read(ValuePointer pointer, byte[] key, int keyLength) throws IOException {
        StoredSegment segment = segments.get(pointer.segment());
        ValueRecords.Owner owner = new ValueRecords.Owner(key, keyLength, ValueSegment.ANY_LSN);
        return segment == null ? null : segment.read(pointer, owner, null).toWholeArray();
    }

    /** Reads the value of a key from where it may be, if that takes no call of the system; null if it is not there. */
    public @Nullable StoredValue tryRead(long number, long offset, byte[] key) {
        StoredSegment segment = segments.get(number);
        return segment == null ? null : segment.tryRead(offset, key);
    }

    /**
     * Writes what waits when it is called, without syncing.
     *
     * @throws RefusedException if the system takes nothing; it can be tried again
     */
    public void write() throws IOException {
        appender.write();
    }

    /** Makes sealed segments durable, all of which were written, and their names. A failure is final. */
    public void sync(Set<Long> numbers) throws IOException {
        files.sync(numbers);
    }

    /** What is known of a sealed segment. */
    public ValueSegmentInfo info(long number) {
        StoredSegment segment = segments.get(number);
        if (segment == null) {
            throw new IllegalStateException(files.path(number) + " was let go and is asked for");
        }
        return segment.use().info();
    }

    /** Lets a segment go, which nobody reads from here any more, and deletes its file if it counts for nobody else. */
    public void release(long number, boolean delete) {
        files.release(number, delete);
    }

    /** Whether a segment was not let go yet. */
    public boolean has(long number) {
        return segments.get(number) != null;
    }

    /** Bytes in the files of some segments. */
    public long fileBytes(LongPredicate numbers) {
        long bytes = 0;
        for (StoredSegment segment : segments.all()) {
            ValueSegment file = segment.file();
            bytes +=
                    file != null && numbers.test(segment.number()) ? file.info().bytes() : 0;
        }
        return bytes;
    }

    /** Some value of the table is read, here or elsewhere, so those that come may be read soon. */
    public void noteRead() {
        cacheUse.noteRead();
    }

    /** Another reader of the file of a segment knows what is known here of what the system's cache of files lacks. */
    public void shareCold(long number, ValueSegment other) {
        StoredSegment segment = segments.get(number);
        ValueSegment file = segment == null ? null : segment.file();
        if (file != null) {
            file.shareCold(other);
        }
    }

    /** How many bytes were written past the system's cache of files. */
    public long uncachedBytes() {
        return cacheUse.uncachedBytes();
    }

    /** Bytes that are in memory only. */
    public long waitingBytes() {
        return appender.waitingBytes();
    }

    /** Closes the files; what waits for being written is lost to all but the log. */
    @Override
    public void close() throws IOException {
        try {
            files.close();
        } finally {
            appender.close();
        }
    }
}
