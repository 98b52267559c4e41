package io.kvstore.value;

import io.kvstore.data.Mutation;
import io.kvstore.engine.TableContext;
import io.kvstore.io.RefusedException;
import io.kvstore.value.append.CacheUse;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.append.StoredSegments;
import io.kvstore.value.append.ValueAppender;
import io.kvstore.value.append.ValueSegmentFiles;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecords;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentInfo;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Values whose segments do not count yet, for an index in memory that makes the segments count together with itself. A value
 * is copied to memory when it is appended, and written to its file later, in large pieces.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A segment is written once, from front to back. A record is in memory until its file has it.
 *   <li>A segment stays until {@link #release}, even if its file serves other readers meanwhile.
 *   <li>After {@link #sync} of a segment, its file has every record that was appended to it before it was
 *       {@linkplain #seal sealed}.
 * </ol>
 *
 * <p>One thread at a time calls {@link #reserve}, {@link #add} and {@link #seal}. All other methods are for any thread.
 */
public final class GrowingValues implements AutoCloseable {

    /** At most this part of the segment size stays unmapped in a growing segment that is read. */
    private static final int UNMAPPED_PART = 8;

    private final StoredSegments segments = new StoredSegments();
    private final ValueSegmentFiles files;
    private final ValueAppender appender;
    private final CacheUse cacheUse;

    /**
     * Holds no values yet. After the bytes of one segment were written with no read in between, values are written past the
     * system's cache of files.
     *
     * @param segmentBytes a segment gets no more records when it would become longer
     * @param numbers gives ascending numbers for the segments
     */
    public GrowingValues(TableContext context, long segmentBytes, LongSupplier numbers) {
        this.cacheUse = new CacheUse(segmentBytes);
        this.files = new ValueSegmentFiles(context, segments, segmentBytes / UNMAPPED_PART, cacheUse);
        this.appender = new ValueAppender(context, files, () -> segmentBytes, numbers, segment -> {});
    }

    /**
     * Hands over the file of a segment that a crash left and nothing refers to. It may be used again until {@link #recovered}.
     */
    public void reuse(String path) {
        files.addSpare(path);
    }

    /** The log was replayed. Deletes the files that a crash left and that replay did not use again. */
    public void recovered() throws IOException {
        files.deleteSpares();
    }

    /**
     * Waits while too many bytes wait for the disk. Called before any lock is taken.
     *
     * @throws io.kvstore.error.OverloadedException if that takes longer than the stall time-out, or values cannot be written
     */
    public void admit() {
        appender.admit();
    }

    /** Whether {@link #admit} would wait because too many bytes wait for the disk. */
    public boolean isCongested() {
        return appender.isCongested();
    }

    /** Whether there is a {@link #refusal}. */
    public boolean isFull() {
        return appender.isFull();
    }

    /** Why the system takes no bytes, if that is why no more values fit into memory; else null. */
    public @Nullable RefusedException refusal() {
        return appender.refusal();
    }

    /**
     * Allocates the memory that the values of at least {@code leastBytes} bytes need. They must be added in the mutations'
     * order.
     */
    public void reserve(List<Mutation> mutations, int leastBytes) {
        appender.reserve(mutations, leastBytes);
    }

    /**
     * Adds a value, which can be read from now on. Allocates no heap memory; {@link #reserve} did.
     *
     * @return its offset in the segment {@link #addedTo}
     */
    public long add(byte[] key, long lsn, byte[] value) {
        return appender.append(key, lsn, value);
    }

    /** The number of the segment of the value that was added last. */
    public long addedTo() {
        return appender.appendedTo();
    }

    /** Seals the present segment. The next value begins a new one. */
    public void seal() {
        appender.seal();
        appender.rest(); // it may be long until the next value, so the memory is given back
    }

    /**
     * Reads a value, as a fresh array; null if there is no such segment.
     *
     * @param key holds the key of the entry that has the pointer, from its first byte on
     * @throws io.kvstore.error.CorruptionException if that value is not there
     */
    public byte @Nullable [] read(ValuePointer pointer, byte[] key, int keyLength) throws IOException {
        StoredSegment segment = segments.get(pointer.segment());
        ValueRecords.Owner owner = new ValueRecords.Owner(key, keyLength, ValueSegment.ANY_LSN);
        return segment == null ? null : segment.read(pointer, owner, null).toWholeArray();
    }

    /** Reads the value of a key from an offset where it may be. Null if it is not there, or a system call would be needed. */
    public @Nullable StoredValue tryRead(long number, long offset, byte[] key) {
        StoredSegment segment = segments.get(number);
        return segment == null ? null : segment.tryRead(offset, key);
    }

    /**
     * Writes the chunks that wait when this is called, without syncing.
     *
     * @throws RefusedException if the system takes no bytes; the caller may try again
     */
    public void write() throws IOException {
        appender.write();
    }

    /** Makes sealed segments and their names durable. All of their bytes must have been written. A failure is final. */
    public void sync(Set<Long> numbers) throws IOException {
        files.sync(numbers);
    }

    /** The description of a sealed segment. */
    public ValueSegmentInfo info(long number) {
        StoredSegment segment = segments.get(number);
        if (segment == null) {
            throw new IllegalStateException(files.path(number) + " was let go and is asked for");
        }
        return segment.use().info();
    }

    /**
     * Gives up a segment that nobody reads from here any more. Deletes its file if {@code delete} says that nobody else needs
     * it.
     */
    public void release(long number, boolean delete) {
        files.release(number, delete);
    }

    /** Whether a segment exists and was not released. */
    public boolean has(long number) {
        return segments.get(number) != null;
    }

    /** The total length of the files of the segments with matching numbers. */
    public long fileBytes(LongPredicate numbers) {
        long bytes = 0;
        for (StoredSegment segment : segments.all()) {
            ValueSegment file = segment.file();
            bytes +=
                    file != null && numbers.test(segment.number()) ? file.info().bytes() : 0;
        }
        return bytes;
    }

    /** Notes that a value of the table is read, here or elsewhere, so that new values may be read soon. */
    public void noteRead() {
        cacheUse.noteRead();
    }

    /** Tells another reader of a segment's file which of its bytes the system's cache of files may lack. */
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

    /** Closes the files. Values that wait for being written remain only in the log. */
    @Override
    public void close() throws IOException {
        try {
            files.close();
        } finally {
            appender.close();
        }
    }
}
