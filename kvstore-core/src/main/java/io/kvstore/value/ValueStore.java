package io.kvstore.value;

import io.kvstore.data.Mutation;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Slice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The values that one table keeps apart from its index, for an index that knows with each change what it stops pointing to.
 * A value is copied to memory when it is applied and written behind in large pieces; it never moves when the index is
 * rearranged.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A segment is written once, from front to back. A record is in memory until its file has it.
 *   <li>The live bytes of a segment are those of the records that the newest state of the index points to, exactly: each
 *       {@link #append} adds, each {@link #release} takes away.
 *   <li>What a durable {@link ValueSegmentList} names was synced before the list: {@link #persist}. What lies behind, in
 *       a segment or as a whole file, counts for nothing after a crash and is cut off when the table is opened. The log has it
 *       still and replay writes it again, so a crash leaves no garbage but what the list counted as waiting.
 *   <li>A segment goes when the newest state does not point into it, nobody looks at an older state that does
 *       ({@link #unlink}), and the durable list does not name it ({@link #committed}). Who has an old pointer finds that it is
 *       gone, even in the middle of reading, and looks for the key again.
 * </ol>
 *
 * <p>The index's lock is held by who calls {@link #reserve}, {@link #append}, {@link #release}, {@link #takeEmptied},
 * {@link #capture}, {@link #list}, {@link #seal} and {@link #sealed}. Values are read by any thread.
 */
public final class ValueStore implements AutoCloseable {

    /** Of a segment that grows and is read, at most this part is not mapped. */
    private static final int UNMAPPED_PART = 8;

    /** Segments are so small beside what is alive that the one that grows, and those that are emptied, take little room. */
    private static final int LIVE_PART = 8;

    /** Segments are so large that this many of them have all that is alive. */
    private static final int MANY_SEGMENTS = 4_096;

    private final long leastSegmentBytes;
    private final long mostSegmentBytes;
    private final StoredSegments segments = new StoredSegments();
    private final CacheUse cacheUse;
    private final ValueSegmentFiles files;
    private final ValueAppender appender;
    private final AtomicLong pinnedBytes = new AtomicLong();

    /** The last of those that {@link #takeEmptied} takes. */
    private @Nullable StoredSegment emptied;

    private volatile long liveBytes;
    private volatile long deadBytes;
    private long liveCount;
    private volatile long nextNumber;

    /** Of segments that were there at the opening, less those that are empty now. */
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
     * @param leastSegmentBytes how large segments are while little is alive
     * @param mostSegmentBytes how large they are while much is; larger ones only if there would be too many
     * @throws io.kvstore.error.CorruptionException if a segment is not what the list says
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

    /** The log was applied: files that a crash left and that were not needed for it go. */
    public void recovered() throws IOException {
        files.deleteSpares();
    }

    private long takeNumber() {
        long number = nextNumber;
        nextNumber = number + 1;
        return number;
    }

    /** Greater than the number of any segment that was begun before; for any thread. */
    public long nextNumber() {
        return nextNumber;
    }

    private void count(long bytes) {
        long now = liveBytes + bytes;
        liveBytes = now;
        deadBytes = allBytes() - now;
    }

    /** Of segments into which something points, with headers and padding: so that what they have beside values is dead. */
    private long allBytes() {
        return openedLessEmptiedBytes + appender.addedBytes();
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

    /**
     * Writes what waits when it is called, without syncing.
     *
     * @throws io.kvstore.io.RefusedException if the system takes nothing; it can be tried again
     */
    public void write() throws IOException {
        appender.write();
    }

    /** Whether the system takes nothing and no more fits into memory. */
    public boolean isFull() {
        return appender.isFull();
    }

    /** Has the memory at hand for adding values of at least so many bytes, in the order of the mutations. */
    public void reserve(List<Mutation> mutations, int leastBytes) {
        appender.reserve(mutations, leastBytes);
    }

    /** Adds a value, which something points to from now on. */
    public ValuePointer append(byte[] key, long lsn, byte[] value) {
        long offset = add(key, lsn, value);
        return new ValuePointer(addedTo(), offset, value.length);
    }

    /**
     * The same without taking memory of the heap but what {@link #reserve} took.
     *
     * @return where it is in {@link #addedTo}
     */
    public long add(byte[] key, long lsn, byte[] value) {
        long offset = appender.append(key, lsn, value);
        count(ValueSegmentFormat.recordBytes(key.length, value.length));
        liveCount = liveCount + 1;
        return offset;
    }

    /** The segment of the value that was added last. */
    public long addedTo() {
        return appender.appendedTo();
    }

    /** The segment that grows gets no more records, so that {@link #sealed} has all values. */
    public void seal() {
        appender.seal();
    }

    /** Nothing points to a value any more. */
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

    /** The segments that the newest state ceased to point into since the last call; older ones may. */
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
     * What a state points into, to be made durable with it.
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
     * What a state points into.
     *
     * @param waitingBytes of records that are alive though that state does not point to them yet, by number of the segment
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

    /** Writes and syncs all that a captured list names. A failed sync has failed the store. */
    public void persist(ValueSegmentList captured) throws IOException {
        write();
        files.sync(ValueSegmentFiles.numbers(captured));
    }

    /** The list is durable; what another one named does not count any more. */
    public void committed(ValueSegmentList durable) {
        files.committed(durable);
        removeUnused();
    }

    /** Nobody looks at an older state that points into this segment, which {@link #takeEmptied} has given. */
    public void unlink(long number) {
        files.unlink(number);
    }

    /** Gives back what neither a state that is looked at nor the durable list needs. */
    public void removeUnused() {
        pinnedBytes.addAndGet(-files.removeUnused());
    }

    /**
     * Reads a value, as a fresh array; null if the segment is not there any more, so that the pointer is an old one.
     *
     * @throws io.kvstore.error.CorruptionException if another value or none is there
     */
    public byte @Nullable [] read(ValuePointer pointer, byte[] key) throws IOException {
        Slice value = readIfThere(pointer, key, null);
        return value == null ? null : value.toWholeArray();
    }

    /**
     * The same for who reads many values, one after the other.
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
            return null; // closed while it was read, for nobody needs it any more
        }
    }

    /**
     * Reads the value of a key from a place where it may be, if that takes no call of the system; null if it is not there or
     * cannot be read in this way. Never fails: who gets null looks where the place of the value is known.
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
     * Asks for the memory where a value lies that is not near the one before, so that several can be on their way at a time;
     * the result means nothing. Only for a state that is looked at, whose segments stay.
     */
    public int touch(ValuePointer pointer) {
        StoredSegment segment = segments.get(pointer.segment());
        ValueSegment file = segment == null ? null : segment.file();
        if (segment != null) {
            segment.noteScattered();
        }
        return file == null ? 0 : file.touch(pointer);
    }

    /** How many values were {@linkplain #touch asked for} in a segment since that was forgotten; roughly. */
    public long scattered(long number) {
        StoredSegment segment = segments.get(number);
        return segment == null ? 0 : segment.scattered();
    }

    /** The same of all segments. */
    public long scattered() {
        return segments.all().stream().mapToLong(StoredSegment::scattered).sum();
    }

    /** Begins to count anew. */
    public void forgetScattered(long number) {
        StoredSegment segment = segments.get(number);
        if (segment != null) {
            segment.forgetScattered();
        }
    }

    /** Dead bytes of the segment that grows, if they are at least half of it; else 0. The index's lock is held. */
    public long growingDeadBytes() {
        StoredSegment growing = appender.growing();
        long dead = growing == null ? 0 : growing.end() - growing.liveBytes();
        return growing != null && dead >= growing.liveBytes() ? dead : 0;
    }

    /** The segments that are not written any more and hold something, which {@link ValueGarbage} chooses from. */
    public List<ValueSegmentUse> sealed() {
        return segments.all().stream()
                .filter(segment -> segment.isSealed() && segment.liveBytes() > 0)
                .map(StoredSegment::use)
                .toList();
    }

    /**
     * Reads and checks all records of a sealed segment, after what waits was written; those that are left when the segment goes
     * meanwhile are not shown, for nothing points to them.
     */
    public void walk(long number, ValueSegment.Visitor visitor) throws IOException {
        write();
        new SegmentWalk(segments).show(number, visitor, ValueSegment::walk);
    }

    /** Reads and checks the record of a sealed segment that was written; shows nothing if the segment is not there any more. */
    public void visit(ValuePointer pointer, ValueSegment.Visitor visitor) throws IOException {
        cacheUse.noteRead(); // it is put in order for who reads it
        new SegmentWalk(segments)
                .show(pointer.segment(), visitor, (file, shown) -> file.visit(pointer.offset(), shown));
    }

    /** Reads every byte that is in files, but for those of segments that go meanwhile. */
    public void verify(Findings findings) throws IOException {
        SegmentWalk walk = new SegmentWalk(segments);
        for (StoredSegment segment : segments.all()) {
            walk.read(segment.number(), file -> file.verify(findings));
        }
    }

    /** The size of a segment that begins now: it gets no more records when it would become longer. */
    public long segmentBytes() {
        long live = liveBytes;
        return Math.max(live / MANY_SEGMENTS, Math.clamp(live / LIVE_PART, leastSegmentBytes, mostSegmentBytes));
    }

    /** Bytes of the records that the newest state points to. */
    public long liveBytes() {
        return liveBytes;
    }

    /** How many values that are; roughly, after the table was opened. */
    public long liveCount() {
        return liveCount;
    }

    /** Bytes in the same segments that nothing of the newest state points to. */
    public long deadBytes() {
        return deadBytes;
    }

    /** Bytes of segments that only older states and the last durable list need. */
    public long pinnedBytes() {
        return pinnedBytes.get();
    }

    /** How long these segments are together, as far as they are there. */
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

    /** How many segments there are. */
    public int segmentCount() {
        return segments.all().size();
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
