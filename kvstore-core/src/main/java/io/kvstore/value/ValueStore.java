package io.kvstore.value;

import io.kvstore.data.Mutation;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Slice;
import io.kvstore.value.append.CacheUse;
import io.kvstore.value.append.SegmentWalk;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.append.StoredSegments;
import io.kvstore.value.append.ValueAppender;
import io.kvstore.value.append.ValueSegmentFiles;
import io.kvstore.value.policy.ValueGarbage;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecords;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentFormat;
import io.kvstore.value.segment.ValueSegmentList;
import io.kvstore.value.segment.ValueSegmentUse;
import io.kvstore.value.segment.ValueWindows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The values that one table keeps apart from its index. The index must know with each change which value it stops pointing to.
 * A value is copied to memory when it is applied, and written to its file later, in large pieces. It never moves when the
 * index is rearranged.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A segment is written once, from front to back. A record is in memory until its file has it.
 *   <li>The live bytes of a segment are exactly those of the records to which the newest state of the index points. Each
 *       {@link #append} adds to them, each {@link #release} subtracts.
 *   <li>{@link #persist} syncs everything that a {@link ValueSegmentList} names before the list becomes durable. Bytes behind
 *       the listed end of a segment are cut off when the table is opened. Files that are not listed are used again or deleted.
 *       Neither counts after a crash: the log still has their values and replay writes them again. So a crash leaves no
 *       garbage except the bytes that the list counted as waiting.
 *   <li>A segment is removed when the newest state does not point into it, no reader looks at an older state that does
 *       ({@link #unlink}), and the durable list does not name it ({@link #committed}). A reader with an old pointer learns
 *       that the segment is gone, even in the middle of reading, and looks up the key again.
 * </ol>
 *
 * <p>The caller holds the index's lock when it calls {@link #reserve}, {@link #append}, {@link #release},
 * {@link #takeEmptied}, {@link #capture}, {@link #list}, {@link #seal} and {@link #sealed}. Any thread may read values.
 */
public final class ValueStore implements AutoCloseable {

    /** At most this part of the segment size stays unmapped in a growing segment that is read. */
    private static final int UNMAPPED_PART = 8;

    /**
     * The live bytes divided by this are the size of a segment, within its limits. So the growing segment and the segments
     * that are emptied take little room.
     */
    private static final int LIVE_PART = 8;

    /** Segments are large enough that this many of them hold all live bytes. */
    private static final int MANY_SEGMENTS = 4_096;

    private final long leastSegmentBytes;
    private final long mostSegmentBytes;
    private final StoredSegments segments = new StoredSegments();
    private final CacheUse cacheUse;
    private final ValueSegmentFiles files;
    private final ValueAppender appender;
    private final AtomicLong pinnedBytes = new AtomicLong();

    /** The end of the list of segments that {@link #takeEmptied} returns. */
    private @Nullable StoredSegment emptied;

    private volatile long liveBytes;
    private volatile long deadBytes;
    private long liveCount;
    private volatile long nextNumber;

    /** Bytes of the segments that were found at the opening, minus the bytes of all segments that were emptied since. */
    private long openedLessEmptiedBytes;

    private long capturedBytes;

    private ValueStore(TableContext context, long leastSegmentBytes, long mostSegmentBytes) {
        this.leastSegmentBytes = leastSegmentBytes;
        this.mostSegmentBytes = mostSegmentBytes;
        this.cacheUse = new CacheUse(mostSegmentBytes);
        this.files = new ValueSegmentFiles(context, segments, mostSegmentBytes / UNMAPPED_PART, cacheUse);
        this.appender = new ValueAppender(context, files, this::segmentBytes, this::takeNumber, this::noteEmpty);
    }

    /**
     * Opens the values of a table as its durable list names them.
     *
     * @param leastSegmentBytes size of segments while few bytes are alive
     * @param mostSegmentBytes size of segments while many bytes are alive; exceeded only if there would be too many segments
     * @throws io.kvstore.error.CorruptionException if a segment differs from the list
     */
    public static ValueStore open(
            TableContext context, long leastSegmentBytes, long mostSegmentBytes, ValueSegmentList durable)
            throws IOException {
        ValueStore store = new ValueStore(context, leastSegmentBytes, mostSegmentBytes);
        boolean opened = false;
        try {
            store.nextNumber = store.files.open(durable);
            for (ValueSegmentUse use : durable.segments()) {
                store.openedLessEmptiedBytes += use.info().bytes();
                store.count(use.liveBytes());
                double live = (double) use.liveBytes() / use.info().bytes();
                store.liveCount = store.liveCount + Math.round(live * use.info().records());
            }
            opened = true;
            return store;
        } finally {
            if (!opened) {
                store.close();
            }
        }
    }

    /** The log was replayed. Deletes the files that a crash left and that replay did not use again. */
    public void recovered() throws IOException {
        files.deleteSpares();
    }

    private long takeNumber() {
        long number = nextNumber;
        nextNumber = number + 1;
        return number;
    }

    /** A number above those of all segments that were begun. For any thread. */
    public long nextNumber() {
        return nextNumber;
    }

    private void count(long bytes) {
        long now = liveBytes + bytes;
        liveBytes = now;
        deadBytes = allBytes() - now;
    }

    /** Bytes of the segments into which something points, with headers and padding, which therefore count as dead. */
    private long allBytes() {
        return openedLessEmptiedBytes + appender.addedBytes();
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

    /**
     * Writes the chunks that wait when this is called, without syncing.
     *
     * @throws io.kvstore.io.RefusedException if the system takes no bytes; the caller may try again
     */
    public void write() throws IOException {
        appender.write();
    }

    /** Whether the system takes no bytes and no more values fit into memory. */
    public boolean isFull() {
        return appender.isFull();
    }

    /**
     * Allocates the memory that the values of at least {@code leastBytes} bytes need. They must be added in the mutations'
     * order.
     */
    public void reserve(List<Mutation> mutations, int leastBytes) {
        appender.reserve(mutations, leastBytes);
    }

    /** Adds a value, which counts as pointed to from now on. */
    public ValuePointer append(byte[] key, long lsn, byte[] value) {
        long offset = add(key, lsn, value);
        return new ValuePointer(addedTo(), offset, value.length);
    }

    /**
     * Adds a value, which counts as pointed to from now on. Allocates no heap memory; {@link #reserve} did.
     *
     * @return its offset in the segment {@link #addedTo}
     */
    public long add(byte[] key, long lsn, byte[] value) {
        long offset = appender.append(key, lsn, value);
        count(ValueSegmentFormat.recordBytes(key.length, value.length));
        liveCount = liveCount + 1;
        return offset;
    }

    /** The number of the segment of the value that was added last. */
    public long addedTo() {
        return appender.appendedTo();
    }

    /** Seals the growing segment: it gets no more records. {@link #sealed} then covers all values. */
    public void seal() {
        appender.seal();
    }

    /** Notes that nothing points to a value any more. */
    public void release(ValuePointer pointer, int keyLength) {
        StoredSegment segment = segments.get(pointer.segment());
        if (segment == null) {
            throw new IllegalStateException(files.path(pointer.segment()) + " was pointed into and is gone");
        }
        long bytes = pointer.recordBytes(keyLength);
        segment.changeLive(-bytes);
        count(-bytes);
        liveCount = liveCount - 1;
        noteEmpty(segment);
    }

    private void noteEmpty(StoredSegment segment) {
        if (segment.isSealed() && segment.liveBytes() == 0) {
            segment.emptiedBefore = emptied;
            emptied = segment;
            openedLessEmptiedBytes -= segment.end();
            pinnedBytes.addAndGet(segment.end());
            count(0);
        }
    }

    /** The segments into which the newest state ceased to point since the last call. Older states may still point into them. */
    public List<Long> takeEmptied() {
        if (emptied == null) {
            return List.of();
        }
        List<Long> result = new ArrayList<>();
        while (emptied != null) {
            StoredSegment last = emptied;
            result.addFirst(last.number());
            emptied = last.emptiedBefore;
            last.emptiedBefore = null;
        }
        return result;
    }

    /**
     * The segments into which the present state points, to be made durable with it. Pads the growing segment.
     *
     * @param waitingBytes see {@link #list}
     */
    public ValueSegmentList capture(Map<Long, Long> waitingBytes) {
        appender.pad();
        count(0);
        long bytes = allBytes();
        if (capturedBytes == bytes) {
            appender.rest();
        }
        capturedBytes = bytes;
        return list(waitingBytes);
    }

    /**
     * The segments into which a state points.
     *
     * @param waitingBytes by number of the segment: bytes of live records to which that state does not point yet
     */
    public ValueSegmentList list(Map<Long, Long> waitingBytes) {
        List<ValueSegmentUse> uses = new ArrayList<>();
        for (StoredSegment segment : segments.all()) {
            long bytes = segment.liveBytes() - waitingBytes.getOrDefault(segment.number(), 0L);
            if (bytes > 0) {
                uses.add(new ValueSegmentUse(segment.use().info(), bytes));
            }
        }
        return new ValueSegmentList(nextNumber, List.copyOf(uses));
    }

    /** Writes and syncs all segments of a captured list. A sync that fails has failed the store. */
    public void persist(ValueSegmentList captured) throws IOException {
        write();
        files.sync(ValueSegmentFiles.numbers(captured));
    }

    /** Notes that a list is durable, which replaces the one before. Removes segments that are no longer needed. */
    public void committed(ValueSegmentList durable) {
        files.committed(durable);
        removeUnused();
    }

    /** Notes that no reader looks at an older state that points into this segment, which {@link #takeEmptied} returned. */
    public void unlink(long number) {
        files.unlink(number);
    }

    /** Removes the segments that neither a state that readers look at nor the durable list needs. */
    public void removeUnused() {
        pinnedBytes.addAndGet(-files.removeUnused());
    }

    /**
     * Reads a value, as a fresh array; null if the segment was removed, so that the pointer is an old one.
     *
     * @throws io.kvstore.error.CorruptionException if that value is not there
     */
    public byte @Nullable [] read(ValuePointer pointer, byte[] key) throws IOException {
        Slice value = readIfThere(pointer, key, null);
        return value == null ? null : value.toWholeArray();
    }

    /**
     * Reads a value through windows, for a caller that reads many values one after the other; null if the segment was removed.
     *
     * @param windows of the caller
     * @return valid until the next one is read: a part of a window or of memory that does not change, or all of a fresh array
     */
    public @Nullable Slice read(ValuePointer pointer, byte[] key, ValueWindows windows) throws IOException {
        return readIfThere(pointer, key, windows);
    }

    private @Nullable Slice readIfThere(ValuePointer pointer, byte[] key, @Nullable ValueWindows windows)
            throws IOException {
        cacheUse.noteRead();
        StoredSegment segment = segments.get(pointer.segment());
        if (segment == null) {
            return null;
        }
        try {
            return segment.read(pointer, new ValueRecords.Owner(key, key.length, ValueSegment.ANY_LSN), windows);
        } catch (IOException e) {
            if (segments.get(pointer.segment()) != null) {
                throw e;
            }
            return null; // the segment was removed and closed while it was read
        }
    }

    /**
     * Reads the value of a key from a place where it may be, without a system call. Null if the value is not there or cannot
     * be read in this way; then the caller looks up the pointer. Never fails.
     */
    public @Nullable StoredValue tryRead(long number, long offset, byte[] key) {
        cacheUse.noteRead();
        StoredSegment segment = segments.get(number);
        try {
            return segment == null ? null : segment.tryRead(offset, key);
        } catch (CorruptionException | InternalError e) {
            return null;
        }
    }

    /**
     * Prefetches the start of a value that is not near the one before, so that several values can be on their way at a time.
     * The result has no meaning. Only for a state that a reader holds, so that its segments stay.
     */
    public int touch(ValuePointer pointer) {
        StoredSegment segment = segments.get(pointer.segment());
        ValueSegment file = segment == null ? null : segment.file();
        if (segment != null) {
            segment.noteScattered();
        }
        return file == null ? 0 : file.touch(pointer);
    }

    /** Approximate number of values {@linkplain #touch prefetched} in a segment since {@link #forgetScattered}. */
    public long scattered(long number) {
        StoredSegment segment = segments.get(number);
        return segment == null ? 0 : segment.scattered();
    }

    /** Approximate number of values {@linkplain #touch prefetched} in all segments, each since its {@link #forgetScattered}. */
    public long scattered() {
        return segments.all().stream().mapToLong(StoredSegment::scattered).sum();
    }

    /** Sets the count of prefetched values of a segment back to 0. */
    public void forgetScattered(long number) {
        StoredSegment segment = segments.get(number);
        if (segment != null) {
            segment.forgetScattered();
        }
    }

    /** Dead bytes of the growing segment if they are at least half of it, else 0. The caller holds the index's lock. */
    public long growingDeadBytes() {
        StoredSegment growing = appender.growing();
        long dead = growing == null ? 0 : growing.end() - growing.liveBytes();
        return growing != null && dead >= growing.liveBytes() ? dead : 0;
    }

    /** The sealed segments that have live bytes. {@link ValueGarbage} chooses from them. */
    public List<ValueSegmentUse> sealed() {
        return segments.all().stream()
                .filter(segment -> segment.isSealed() && segment.liveBytes() > 0)
                .map(StoredSegment::use)
                .toList();
    }

    /**
     * Writes the waiting chunks, then reads and checks all records of a sealed segment. If the segment is removed meanwhile,
     * the remaining records are not shown, because nothing points to them.
     */
    public void walk(long number, ValueSegment.Visitor visitor) throws IOException {
        write();
        new SegmentWalk(segments).show(number, visitor, ValueSegment::walk);
    }

    /** Reads and checks one record of a sealed segment that was written. Shows nothing if the segment was removed. */
    public void visit(ValuePointer pointer, ValueSegment.Visitor visitor) throws IOException {
        cacheUse.noteRead(); // values are put in order for readers
        new SegmentWalk(segments)
                .show(pointer.segment(), visitor, (file, shown) -> file.visit(pointer.offset(), shown));
    }

    /** Reads and checks all bytes that are in files. Skips segments that are removed meanwhile. */
    public void verify(Findings findings) throws IOException {
        SegmentWalk walk = new SegmentWalk(segments);
        for (StoredSegment segment : segments.all()) {
            walk.read(segment.number(), file -> file.verify(findings));
        }
    }

    /** The size of a segment that begins now. It gets no more records when it would become longer. */
    public long segmentBytes() {
        long live = liveBytes;
        return Math.max(live / MANY_SEGMENTS, Math.clamp(live / LIVE_PART, leastSegmentBytes, mostSegmentBytes));
    }

    /** Bytes of the records that the newest state points to. */
    public long liveBytes() {
        return liveBytes;
    }

    /** How many values the newest state points to. Approximate after the table was opened. */
    public long liveCount() {
        return liveCount;
    }

    /** Bytes in the same segments to which nothing of the newest state points. */
    public long deadBytes() {
        return deadBytes;
    }

    /** Bytes of segments that only older states and the last durable list need. */
    public long pinnedBytes() {
        return pinnedBytes.get();
    }

    /** The total length of the given segments, without those that were removed. */
    public long bytesOf(List<Long> numbers) {
        long bytes = 0;
        for (long number : numbers) {
            StoredSegment segment = segments.get(number);
            bytes += segment == null ? 0 : segment.end();
        }
        return bytes;
    }

    /** How many bytes were written past the system's cache of files. */
    public long uncachedBytes() {
        return cacheUse.uncachedBytes();
    }

    /** Bytes that are in memory only. */
    public long waitingBytes() {
        return appender.waitingBytes();
    }

    /** How many segments exist. */
    public int segmentCount() {
        return segments.all().size();
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
