package io.kvstore.value;

import io.kvstore.io.Slice;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A value segment of a {@link ValueStore}: what of it is in memory, and what in its file. The writer's fields are changed by
 * the one who writes to the store; the others by the one who holds the store's lock for files.
 *
 * <p>A record is looked for in memory first. It leaves memory only when the file has it and {@link #file} says so; so who
 * does not find it there, finds it in the file.
 */
final class StoredSegment {

    private final long number;
    private final long seed;
    private final ValueRecords records;

    /** Of those that are in memory, the newest one. */
    private volatile @Nullable TailChunk newest;

    private volatile @Nullable ValueSegment file;

    // the writer's
    private long end;
    private long recordCount;
    private long liveBytes;
    private boolean sealed;

    /** In the list of those into which nothing points any more, the one before. */
    @Nullable
    StoredSegment emptiedBefore;

    /** Changed by all readers without a lock: a hint, some of them are lost. */
    private long scattered;

    // of the one with the lock for files
    private boolean synced;

    /** An empty one. */
    StoredSegment(long number, String path, long seed) {
        this.number = number;
        this.seed = seed;
        this.records = new ValueRecords(path, seed);
    }

    /** One that was met when the table was opened. */
    StoredSegment(ValueSegment found, long seed, long liveBytes) {
        this(found.info().number(), found.path(), seed);
        this.file = found;
        this.end = found.info().bytes();
        this.recordCount = found.info().records();
        this.liveBytes = liveBytes;
        this.sealed = true;
        this.synced = true;
    }

    long number() {
        return number;
    }

    String path() {
        return records.path();
    }

    /** How long the segment is, with what is in memory. */
    long end() {
        return end;
    }

    /** Somebody waits for a value in here, because it is not near the one that was read before. */
    void noteScattered() {
        scattered++;
    }

    long scattered() {
        return scattered;
    }

    void forgetScattered() {
        scattered = 0;
    }

    long recordCount() {
        return recordCount;
    }

    long liveBytes() {
        return liveBytes;
    }

    void changeLive(long bytes) {
        liveBytes += bytes;
    }

    boolean isSealed() {
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

    @Nullable
    ValueSegment file() {
        return file;
    }

    void inFile(ValueSegment grown) {
        file = grown;
    }

    /** What is known of it now. */
    ValueSegmentUse use() {
        return new ValueSegmentUse(new ValueSegmentInfo(number, end, recordCount), liveBytes);
    }

    /** Adds the header of the file. */
    void addHeader(byte[] header, TailMemory target, int at) {
        target.putHeader(at, header);
        end = header.length;
    }

    /**
     * Adds a record, which is found from now on, in the chunk that is open; or padding.
     *
     * @return where it is
     */
    long add(RecordEncoder record, TailMemory target, int at) {
        long offset = end;
        long bytes = record.bytes();
        target.put(at, record, seed, offset);
        end += bytes;
        if (!record.isPadding()) {
            liveBytes += bytes;
            recordCount++;
        }
        return offset;
    }

    /** What is added is found in that chunk. */
    synchronized void open(TailChunk chunk) {
        chunk.older = newest;
        newest = chunk;
    }

    /** The file has a chunk. */
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

    /** The chunk in memory that has an offset, or null. */
    private @Nullable TailChunk chunkOf(long offset) {
        TailChunk chunk = newest;
        while (chunk != null && offset < chunk.start()) {
            chunk = chunk.older;
        }
        return chunk;
    }

    /** The value of a key, if it is there and in memory or mapped. */
    @Nullable
    StoredValue tryRead(long offset, byte[] key) {
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
        return written == null ? null : written.tryReadMapped(offset, key);
    }

    /** Reads a value: a part of a window or of memory that does not change, or all of a fresh array. */
    Slice read(ValuePointer pointer, ValueRecords.Owner owner, @Nullable ValueWindows windows) throws IOException {
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
        ValueSegment written = file;
        if (written == null) {
            throw records.corrupt(pointer.offset(), "a pointer leads to what was not written");
        }
        return written.read(pointer, owner, windows);
    }
}
