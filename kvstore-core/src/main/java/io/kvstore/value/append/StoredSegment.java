package io.kvstore.value.append;

import io.kvstore.bytes.Slice;
import io.kvstore.engine.HintCounter;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.Probe;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecord;
import io.kvstore.value.segment.ValueRecords;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentFormat;
import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentUse;
import io.kvstore.value.segment.ValueWindows;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A value segment of a {@code ValueLog}: the part that is in memory, and the part that is in its file. Only the thread that
 * appends to the log changes the writer's fields. {@link #file} and {@link #synced} change under the log's lock for files, the
 * list of chunks under this object's monitor.
 *
 * <p>A reader looks for a record in memory first. A record leaves memory only after the file has it and {@link #file} is set.
 * So a reader that does not find it in memory finds it in the file.
 *
 * <p>A segment is there as long as somebody has a lease of it; {@code docs/design/value-log.md} names the holders. The first
 * lease belongs to the caller for whom the segment was begun, opened or written. A log that is closed deletes no segment that
 * has a lease.
 */
public final class StoredSegment {

    private final long number;
    private final long seed;
    private final ValueRecords records;
    private final boolean isInOrder;
    private final Consumer<StoredSegment> unleased;
    private final AtomicInteger leases = new AtomicInteger(1);

    /** The newest chunk that is in memory. */
    private volatile @Nullable TailChunk newest;

    private volatile @Nullable ValueSegment file;
    private volatile boolean emptied;

    // fields of the thread that writes to the store
    private long end;
    private long recordCount;
    private long liveBytes;

    private long liveRecords;

    /** Whether {@link #liveRecords} is exact. Of a segment that was opened it is if the index has told of its records. */
    private boolean isCounted;

    /** Written last of these fields, so that a thread that sees it set sees their last values. */
    private volatile boolean sealed;

    /** The segment before this one in the list of segments into which nothing points any more. */
    @Nullable
    public StoredSegment emptiedBefore;

    private final HintCounter scattered = new HintCounter();

    /** The segment before this one among those without a lease. */
    @Nullable
    StoredSegment unleasedBefore;

    // guarded by the lock for files
    private boolean synced;

    /** @param unleased is told when the last lease was given back */
    StoredSegment(long number, String path, long seed, Consumer<StoredSegment> unleased) {
        this(number, path, seed, false, unleased);
        isCounted = true;
    }

    /** A complete, synced segment. It is in order if its values are known to be in the order of their keys. */
    StoredSegment(
            ValueSegment complete, long seed, boolean isInOrder, long liveBytes, Consumer<StoredSegment> unleased) {
        this(complete.info().number(), complete.path(), seed, isInOrder, unleased);
        this.file = complete;
        this.end = complete.info().bytes();
        this.recordCount = complete.info().records();
        this.liveBytes = liveBytes;
        this.sealed = true;
        this.synced = true;
    }

    private StoredSegment(long number, String path, long seed, boolean isInOrder, Consumer<StoredSegment> unleased) {
        this.number = number;
        this.seed = seed;
        this.records = new ValueRecords(path, seed);
        this.isInOrder = isInOrder;
        this.unleased = unleased;
    }

    /** Takes one more lease, for a caller that has one or knows of a holder that keeps one meanwhile. */
    public StoredSegment retain() {
        if (leases.getAndIncrement() <= 0) {
            throw new IllegalStateException(path() + " is gone and is asked for");
        }
        return this;
    }

    /**
     * Gives one lease back. The last one closes and deletes the file: at once, or when the thread that writes now is done. A
     * failure of that is logged and not thrown.
     */
    public void release() {
        int left = leases.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException(path() + " was given back more often than it was taken");
        }
        if (left == 0) {
            unleased.accept(this);
        }
    }

    /** How many leases there are. */
    public int leases() {
        return leases.get();
    }

    /** Whether somebody has a lease. The file of a segment without one is deleted soon. */
    public boolean isLeased() {
        return leases.get() > 0;
    }

    /** Notes that nothing of the table's newest state points into the segment any more. */
    public void markEmptied() {
        emptied = true;
    }

    /** Whether only older states, their readers and jobs need the segment. */
    public boolean isEmptied() {
        return emptied;
    }

    public boolean isInOrder() {
        return isInOrder;
    }

    public long number() {
        return number;
    }

    public String path() {
        return records.path();
    }

    /** The length of the segment, including the part that is in memory. */
    public long end() {
        return end;
    }

    /** Notes that a reader waits for a value of this segment because it is not near the value that was read before. */
    public void noteScattered() {
        scattered.increment();
    }

    public long scattered() {
        return scattered.get();
    }

    public void forgetScattered() {
        scattered.reset();
    }

    long recordCount() {
        return recordCount;
    }

    public long liveBytes() {
        return liveBytes;
    }

    /** Records to which something points: those that were added or {@linkplain #countLive counted}, less those released. */
    public long liveRecords() {
        return liveRecords;
    }

    /** Notes that the index points to more records of a segment that was opened. */
    public void countLive(int records) {
        isCounted = true;
        liveRecords += records;
    }

    /**
     * Notes that nothing points to a record any more. The length of a damaged record may be wrong. Where records are counted,
     * the live bytes stay such that each record that is left has its head, and none has bytes when none is left.
     *
     * @return the bytes by which there are fewer live ones
     */
    public long released(long bytes) {
        liveRecords--;
        long most = liveBytes - Math.max(0, liveRecords) * ValueSegmentFormat.RECORD_HEAD_BYTES;
        long fewer = bytes;
        if (isCounted) {
            long least = Math.min(ValueSegmentFormat.RECORD_HEAD_BYTES, most);
            fewer = liveRecords <= 0 ? liveBytes : Math.clamp(bytes, least, most);
        }
        liveBytes -= fewer;
        return fewer;
    }

    public boolean isSealed() {
        return sealed;
    }

    void seal() {
        sealed = true;
    }

    boolean isSynced() {
        return synced;
    }

    void synced(boolean now) {
        synced = now;
    }

    public @Nullable ValueSegment file() {
        return file;
    }

    void inFile(ValueSegment grown) {
        file = grown;
    }

    /** Whether the file has all records that the segment will ever have, which are so many bytes. For any thread. */
    public boolean isComplete(long bytes) {
        ValueSegment written = file;
        return sealed && end == bytes && written != null && written.info().bytes() == bytes;
    }

    public ValueSegmentInfo info() {
        return new ValueSegmentInfo(number, end, recordCount);
    }

    public ValueSegmentUse use() {
        return new ValueSegmentUse(info(), liveBytes);
    }

    void addHeader(byte[] header, TailMemory target, int at) {
        target.putHeader(at, header);
        end = header.length;
    }

    long seed() {
        return seed;
    }

    /** The bytes of a record were put to the open chunk. The record can be read from now on. */
    void added(long bytes) {
        end += bytes;
        liveBytes += bytes;
        liveRecords++;
        recordCount++;
    }

    void padded(long bytes) {
        end += bytes;
    }

    /** Makes a chunk the newest one. Records that are added from now on are found in it. */
    synchronized void open(TailChunk chunk) {
        chunk.older = newest;
        newest = chunk;
    }

    /** Removes a chunk from memory. The file has it. */
    synchronized void forget(TailChunk chunk) {
        TailChunk newer = null;
        TailChunk at = newest;
        while (at != null && !at.equals(chunk)) {
            newer = at;
            at = at.older;
        }
        if (at == null) {
            throw new IllegalStateException(path() + ": what was written is not in memory");
        }
        if (newer != null) {
            newer.older = chunk.older;
        } else {
            newest = chunk.older;
        }
    }

    private @Nullable TailChunk chunkOf(long offset) {
        TailChunk chunk = newest;
        while (chunk != null && offset < chunk.start()) {
            chunk = chunk.older;
        }
        return chunk;
    }

    /**
     * The value of a key, if it is at the offset and in memory or mapped; else null.
     *
     * @param lent takes the value if it can; then the answer has {@link LentValue#ELSEWHERE}
     */
    public @Nullable StoredValue tryRead(long offset, byte[] key, @Nullable LentValue lent) {
        TailChunk chunk = chunkOf(offset);
        if (chunk != null) {
            TailMemory memory = chunk.memory();
            long at = offset - chunk.start() + chunk.from();
            int keyEnd = ValueSegmentFormat.RECORD_HEAD_BYTES + key.length;
            if (at > memory.capacity() - keyEnd) {
                return null;
            }
            Slice headAndKey = memory.bytes((int) at, keyEnd);
            int length = headAndKey == null ? -1 : ValueRecords.lengthOfValue(headAndKey, key);
            if (headAndKey != null && (length < 0 || length > memory.capacity() - at - keyEnd)) {
                return null;
            }
            Slice record = headAndKey == null ? null : memory.bytes((int) at, keyEnd + length);
            if (record != null) {
                return records.valueOf(new ValuePointer(number, offset, length), record, key);
            }
        }
        ValueSegment written = file;
        return written == null ? null : written.tryReadMapped(offset, key, lent);
    }

    /** Whether the record at the offset is a key's, if it is in memory or mapped. Makes no system call. */
    public Probe.Answer tryProbe(long offset, byte[] key, Probe into) {
        TailChunk chunk = chunkOf(offset);
        if (chunk != null) {
            long at = offset - chunk.start() + chunk.from();
            int keyEnd = ValueSegmentFormat.RECORD_HEAD_BYTES + key.length;
            if (at > chunk.memory().capacity() - keyEnd) {
                return Probe.Answer.OTHER_KEY;
            }
            Slice headAndKey = chunk.memory().bytes((int) at, keyEnd);
            if (headAndKey != null) {
                return ValueRecords.probe(headAndKey, key, into);
            }
        }
        ValueSegment written = file;
        return written == null ? Probe.Answer.UNKNOWN : written.tryProbeMapped(offset, key, into);
    }

    /** The key and the length of the value of the record at an offset, as the record says. They are not checked. */
    public ValueRecord.Head head(long offset) throws IOException {
        TailChunk chunk = chunkOf(offset);
        if (chunk != null) {
            int at = (int) (offset - chunk.start() + chunk.from());
            Slice head = chunk.memory().bytes(at, ValueSegmentFormat.RECORD_HEAD_BYTES);
            Slice headAndKey = head == null ? null : chunk.memory().bytes(at, ValueRecords.headAndKeyBytes(head));
            if (headAndKey != null) {
                return ValueRecords.headOf(headAndKey);
            }
        }
        return written(offset).head(offset);
    }

    private ValueSegment written(long offset) {
        ValueSegment written = file;
        if (written == null) {
            throw records.corrupt(offset, "a pointer leads to what was not written");
        }
        return written;
    }

    /** The record at an offset where a record begins, from memory or from the file. */
    public ValueRecord record(long offset) throws IOException {
        TailChunk chunk = chunkOf(offset);
        if (chunk != null) {
            int at = (int) (offset - chunk.start() + chunk.from());
            Slice head = chunk.memory().bytes(at, ValueSegmentFormat.RECORD_HEAD_BYTES);
            Slice record = head == null ? null : chunk.memory().bytes(at, (int) ValueRecords.recordBytes(head));
            if (record != null) {
                return records.recordOf(offset, record.toArray());
            }
        }
        return written(offset).record(offset);
    }

    /** Reads a value. Returns a part of a window or of memory that does not change, or the whole of a fresh array. */
    public Slice read(ValuePointer pointer, ValueRecords.Owner owner, @Nullable ValueWindows windows)
            throws IOException {
        TailChunk chunk = chunkOf(pointer.offset());
        if (chunk != null) {
            long at = pointer.offset() - chunk.start() + chunk.from();
            long bytes = pointer.recordBytes(owner.keyLength());
            if (at + bytes > chunk.memory().capacity()) {
                throw records.corrupt(pointer.offset(), "a pointer leads behind the end of what was written");
            }
            Slice record = chunk.memory().bytes((int) at, (int) bytes);
            if (record != null) {
                return records.slice(pointer, record.array(), record.offset(), owner);
            }
        }
        return written(pointer.offset()).read(pointer, owner, windows);
    }
}
