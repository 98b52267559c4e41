package io.kvstore.value;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyHash;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Epochs;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.RefusedException;
import io.kvstore.value.append.CacheUse;
import io.kvstore.value.append.NewSegment;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.append.StoredSegments;
import io.kvstore.value.append.ValueAppender;
import io.kvstore.value.append.ValueSegmentFiles;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.Probe;
import io.kvstore.value.segment.RecordVisitor;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecord;
import io.kvstore.value.segment.ValueRecords;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentUse;
import io.kvstore.value.segment.ValueWindows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The values that one table keeps apart from its index: segments, each a file that is written once from front to back. The log
 * owns the files: one descriptor and one mapping of each serve all readers. A value is copied to memory when it is added, and
 * written to its file later, in large pieces. A segment is there as long as somebody has a lease of it, see
 * {@link StoredSegment}. Which of its values are alive is the engine's business. {@code docs/design/value-log.md} has the
 * states of a segment, the holders of leases and the invariants.
 *
 * <p>One thread at a time calls {@link #reserve}, {@link #add}, {@link #pad}, {@link #seal} and {@link #rest}. All other
 * methods are for any thread.
 */
public final class ValueLog implements AutoCloseable {

    /** At most this part of the segment size stays unmapped in a growing segment that is read. */
    private static final int UNMAPPED_PART = 8;

    /** A load of large values may take this part of the memory that mapped files may take, before it passes the cache. */
    private static final int LOADED_PART = 2;

    private final StoredSegments segments = new StoredSegments();
    private final CacheUse cacheUse;
    private final ValueSegmentFiles files;
    private final ValueAppender appender;
    private final LongSupplier numbers;
    private final Epochs epochs;

    /** Holds no values yet. All segments get the same size, and the given numbers, which ascend. */
    public ValueLog(TableContext context, long segmentBytes, LongSupplier numbers) {
        this(context, new Sizes(segmentBytes, () -> segmentBytes), numbers, segment -> {}, segment -> {});
    }

    /**
     * Holds no values yet.
     *
     * @param numbers gives ascending numbers for the segments
     * @param sealed is told of every segment that gets no more records
     * @param deleted is told of every segment that is gone because its last lease was given back
     */
    ValueLog(
            TableContext context,
            Sizes sizes,
            LongSupplier numbers,
            Consumer<StoredSegment> sealed,
            Consumer<StoredSegment> deleted) {
        this.numbers = numbers;
        this.epochs = context.epochs();
        this.cacheUse = new CacheUse(
                new CacheUse.Limits(sizes.mostBytes, context.memory().mappableBytes() / LOADED_PART),
                new KeyHash(context.seed()));
        this.files = new ValueSegmentFiles(context, segments, sizes.mostBytes / UNMAPPED_PART, cacheUse, deleted);
        this.appender = new ValueAppender(context, files, sizes.nextBytes, numbers, sealed);
    }

    /** The sizes of large segments, and of the one that begins next: it gets no more records when it would become longer. */
    record Sizes(long mostBytes, LongSupplier nextBytes) {}

    /** Opens a segment that a durable list names. The caller gets the first lease, for that list. */
    public StoredSegment open(ValueSegmentUse named) throws IOException {
        return files.open(named.info(), named.liveBytes());
    }

    /** Opens a segment of a damaged table, to be read only, whatever header it has. */
    StoredSegment openUnchecked(ValueSegmentInfo info) throws IOException {
        return files.openUnchecked(info);
    }

    /** Hands over the file of a segment that a crash left and nothing refers to, for use until {@link #recovered}. */
    public void reuse(String path) throws IOException {
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
        return refusal() != null;
    }

    /** Why the system takes no bytes, if that is why no more values fit into memory; else null. */
    public @Nullable RefusedException refusal() {
        return appender.refusal();
    }

    /** Allocates memory for the values of at least {@code leastBytes} bytes. They must be added in the mutations' order. */
    public void reserve(List<Mutation> mutations, int leastBytes) {
        cacheUse.reserve();
        appender.reserve(mutations, leastBytes);
    }

    /**
     * Adds a value, which can be read from now on. Allocates no heap memory; {@link #reserve} did. The first lease of a segment
     * that begins belongs to the index for which the value is added.
     *
     * @return its offset in the segment {@link #addedTo}
     */
    public long add(byte[] key, long lsn, byte[] value) {
        cacheUse.notePut(key, value.length);
        return appender.append(key, lsn, value);
    }

    /** The number of the segment of the value that was added last. */
    public long addedTo() {
        return appender.appendedTo();
    }

    /** Pads the growing segment, so that the next record begins where a later write may begin. */
    public void pad() {
        appender.pad();
    }

    /** Seals the growing segment: it gets no more records. The next value begins another one. */
    public void seal() {
        appender.seal();
    }

    /** Gives back the memory that is kept for more records. It may be long until the next value. */
    public void rest() {
        appender.rest();
    }

    /** Bytes that were added to segments since the log was opened, including headers and padding. */
    long addedBytes() {
        return appender.addedBytes();
    }

    /** The segment that gets the next record, or null. */
    @Nullable
    StoredSegment growing() {
        return appender.growing();
    }

    /** Begins a segment that a job writes as a whole, beside the one that grows. */
    public NewSegment newSegment() throws IOException {
        return files.create(numbers.getAsLong());
    }

    /** The segment with a number, or null if it is gone. */
    public @Nullable StoredSegment segment(long number) {
        return segments.get(number);
    }

    /** Gives a lease of a segment back, unless the log was closed. */
    public void release(long number) {
        StoredSegment segment = segments.get(number);
        if (segment != null) {
            segment.release();
        }
    }

    /** All segments, in ascending order of their numbers. */
    public List<StoredSegment> segments() {
        return segments.all();
    }

    public String path(long number) {
        return files.path(number);
    }

    /** Reads a value, as a fresh array; null if the segment is gone, so that the pointer is an old one. */
    public byte @Nullable [] read(ValuePointer pointer, byte[] key) throws IOException {
        Slice value = read(pointer, new ValueRecords.Owner(key, key.length, ValueSegment.ANY_LSN), null);
        return value == null ? null : value.toWholeArray();
    }

    /**
     * Reads a value through windows.
     *
     * @param windows of the caller, if it reads many values one after the other
     * @return null if the segment is gone, so that the pointer is an old one; else a part of one of the windows or of memory
     *     that does not change, or the whole of a fresh array; valid until the next read with these windows
     * @throws CorruptionException if that value is not there
     */
    public @Nullable Slice read(ValuePointer pointer, ValueRecords.Owner owner, @Nullable ValueWindows windows)
            throws IOException {
        StoredSegment segment = segments.get(pointer.segment());
        if (segment == null) {
            return null;
        }
        try {
            return segment.read(pointer, owner, windows);
        } catch (IOException | CorruptionException e) {
            if (segments.get(pointer.segment()) == segment) {
                throw e;
            }
            return null; // the segment was removed and closed while it was read
        }
    }

    /**
     * Reads the value of a key from a place where it may be, without a system call. Null if the value is not there or cannot
     * be read in this way; then the caller looks up the pointer, and reading there reports a damage. Never fails.
     *
     * @param lent takes the value if it can; then the answer has {@link LentValue#ELSEWHERE}
     */
    public @Nullable StoredValue tryRead(long number, long offset, byte[] key, @Nullable LentValue lent) {
        StoredSegment segment = segments.get(number);
        try {
            return segment == null ? null : segment.tryRead(offset, key, lent);
        } catch (CorruptionException | InternalError e) {
            return null;
        }
    }

    /**
     * Whether the record at a place, where some record begins, is a key's. The record is not checked, and no system call is
     * made. Never fails. Fills {@code into} if it is.
     */
    public Probe.Answer tryProbe(long number, long offset, byte[] key, Probe into) {
        StoredSegment segment = segments.get(number);
        try {
            return segment == null ? Probe.Answer.UNKNOWN : segment.tryProbe(offset, key, into);
        } catch (InternalError e) {
            return Probe.Answer.UNKNOWN; // a part of a mapped file that cannot be read; a read by position says so
        }
    }

    /**
     * The record at a place where some record begins, checked; null if the segment is gone.
     *
     * @throws CorruptionException if the record is damaged
     */
    public @Nullable ValueRecord record(long number, long offset) throws IOException {
        return at(number, segment -> segment.record(offset));
    }

    /** The key and the length of the value of a record, as it says, without a check; null if the segment is gone. */
    public ValueRecord.@Nullable Head head(long number, long offset) throws IOException {
        return at(number, segment -> segment.head(offset));
    }

    @FunctionalInterface
    private interface Look<T> {
        T at(StoredSegment segment) throws IOException;
    }

    private <T> @Nullable T at(long number, Look<T> look) throws IOException {
        StoredSegment segment = segments.get(number);
        if (segment == null) {
            return null;
        }
        try {
            return look.at(segment);
        } catch (IOException | CorruptionException e) {
            if (segments.get(number) == segment) {
                throw e;
            }
            return null; // the segment was removed and closed while it was read
        }
    }

    /**
     * Lends the value that an entry points to, if that is worthwhile and it is mapped. Otherwise returns false, and the value
     * is to be read.
     *
     * @param lsn of the entry, or {@link ValueSegment#ANY_LSN}
     * @param to null if nothing is to be lent
     */
    public boolean lend(ValuePointer pointer, long lsn, @Nullable LentValue to) {
        StoredSegment segment =
                LentValue.isWorthwhile(to, pointer.valueLength()) ? segments.get(pointer.segment()) : null;
        ValueSegment file = segment == null ? null : segment.file();
        if (to == null || file == null || !file.lend(pointer.offset(), to)) {
            return false;
        }
        if (to.length() == pointer.valueLength() && (lsn == ValueSegment.ANY_LSN || lsn == to.lsn())) {
            return true;
        }
        to.close();
        return false;
    }

    /**
     * Notes that values of the table are read, so that new values may be read soon. Of the jobs that move values only those
     * tell that read at random places or put values in order.
     */
    public void noteRead() {
        cacheUse.noteRead();
    }

    /**
     * Prefetches the start of a value that is not near the one before, so that several values can be on their way at a time.
     * The result has no meaning. Only for a reader that has a lease, or is in an epoch.
     */
    public int touch(ValuePointer pointer) {
        StoredSegment segment = segments.get(pointer.segment());
        ValueSegment file = segment == null ? null : segment.file();
        if (segment != null) {
            segment.noteScattered();
        }
        return file == null ? 0 : file.touch(pointer);
    }

    /**
     * Prefetches the heads of records that are mapped, so that all of them are on their way at a time. The result has no
     * meaning. Only for a caller that has leases of the segments.
     */
    public int touchHeads(long[] numbers, long[] offsets, int count) {
        int sum = 0;
        int ticket = epochs.enter(); // once for all of them: to enter waits for the reads before
        try {
            for (int i = 0; i < count; i++) {
                StoredSegment segment = segments.get(numbers[i]);
                ValueSegment file = segment == null ? null : segment.file();
                sum += file == null ? 0 : file.touchHead(offsets[i]);
            }
            return sum;
        } catch (InternalError e) {
            return sum; // a part of a mapped file that cannot be read; a read by position says so
        } finally {
            epochs.exit(ticket);
        }
    }

    /** Approximate number of values {@linkplain #touch prefetched} in a segment since {@link #forgetScattered}. */
    public long scattered(long number) {
        StoredSegment segment = segments.get(number);
        return segment == null ? 0 : segment.scattered();
    }

    public void forgetScattered(long number) {
        StoredSegment segment = segments.get(number);
        if (segment != null) {
            segment.forgetScattered();
        }
    }

    public long scattered() {
        return segments.all().stream().mapToLong(StoredSegment::scattered).sum();
    }

    /**
     * Writes the waiting chunks, then reads and checks all records of a sealed segment. If the segment is removed meanwhile,
     * the remaining records are not shown, because nothing points to them.
     */
    public void walk(long number, RecordVisitor visitor) throws IOException {
        write();
        show(number, visitor, ValueSegment::walk);
    }

    /** Reads and checks one record of a sealed segment that was written. Shows nothing if the segment was removed. */
    public void visit(ValuePointer pointer, RecordVisitor visitor) throws IOException {
        cacheUse.noteRead(); // values are put in order for readers
        show(pointer.segment(), visitor, (file, shown) -> file.visit(pointer.offset(), shown));
    }

    /** Reads and checks all bytes of segments that are in files. Skips segments that are removed meanwhile. */
    public void verify(List<StoredSegment> some, Findings findings) {
        for (StoredSegment segment : some) {
            try {
                read(segment.number(), file -> file.verify(findings));
            } catch (IOException e) {
                findings.report(segment.path(), -1, "cannot be read: " + e);
            }
        }
    }

    @FunctionalInterface
    private interface Showing {
        void show(ValueSegment file, RecordVisitor visitor) throws IOException;
    }

    @FunctionalInterface
    private interface Reading {
        void read(ValueSegment file) throws IOException;
    }

    /** Shows records of a segment, as {@link #read} reads it. An error of the visitor is thrown in any case. */
    private void show(long number, RecordVisitor visitor, Showing how) throws IOException {
        List<IOException> ofVisitor = new ArrayList<>(1);
        read(
                number,
                file -> how.show(file, (pointer, key, lsn, value) -> {
                    try {
                        visitor.record(pointer, key, lsn, value);
                    } catch (IOException e) {
                        ofVisitor.add(e);
                        throw e;
                    }
                }));
        if (!ofVisitor.isEmpty()) {
            throw ofVisitor.getFirst();
        }
    }

    /** Reads a segment, if it exists. Stops without an error if it is removed meanwhile: nothing points to its values. */
    private void read(long number, Reading how) throws IOException {
        StoredSegment segment = segments.get(number);
        ValueSegment file = segment == null ? null : segment.file();
        try {
            if (file != null) {
                how.read(file);
            }
        } catch (IllegalStateException | IOException e) {
            if (segments.get(number) != null) {
                throw e;
            }
        }
    }

    /** Writes the chunks that wait when this is called, without syncing. After a {@link RefusedException} it may be retried. */
    public void write() throws IOException {
        appender.write();
    }

    /** Makes segments and their names durable. All of their bytes must have been written. A failure is final. */
    public void sync(Set<Long> segmentNumbers) throws IOException {
        files.sync(segmentNumbers);
    }

    public long fileBytes(Predicate<StoredSegment> some) {
        long bytes = 0;
        for (StoredSegment segment : segments.all()) {
            ValueSegment file = segment.file();
            bytes += file != null && some.test(segment) ? file.info().bytes() : 0;
        }
        return bytes;
    }

    public long uncachedBytes() {
        return cacheUse.uncachedBytes();
    }

    /** Bytes that are in memory only. */
    public long waitingBytes() {
        return appender.waitingBytes();
    }

    /** Closes the files. Values that wait for being written remain only in the log of the store. */
    @Override
    public void close() throws IOException {
        try {
            files.close();
        } finally {
            appender.close();
        }
    }
}
