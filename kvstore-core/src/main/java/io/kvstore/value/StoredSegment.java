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

    private static final Chunk[] NONE = {};

    private final long number;
    private final long seed;
    private final ValueRecords records;
    private volatile Chunk[] chunks = NONE;
    private volatile @Nullable ValueSegment file;

    // the writer's
    private long end;
    private long recordCount;
    private long liveBytes;
    private boolean sealed;

    /** Changed by all readers without a lock: a hint, some of them are lost. */
    private long scattered;

    // of the one with the lock for files
    private boolean synced;

    /**
     * Whole records in memory.
     *
     * @param start where in the segment the first byte is
     * @param from where in the memory
     */
    record Chunk(long start, TailMemory memory, int from) {}

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

    /** Adds what is missing up to where later writes may begin. */
    void addPadding(int bytes, TailMemory target, int at) {
        target.putPadding(at, new ValueSegmentFormat.Place(seed, end), bytes);
        end += bytes;
    }

    /** Adds a record; it is found from now on, in the chunk that is open. */
    ValuePointer add(ValueSegmentFormat.Content content, TailMemory target, int at) {
        ValuePointer pointer = new ValuePointer(number, end, content.value().length());
        target.put(at, new ValueSegmentFormat.Place(seed, end), content);
        long bytes = content.recordBytes();
        end += bytes;
        liveBytes += bytes;
        recordCount++;
        return pointer;
    }

    synchronized void open(Chunk chunk) {
        Chunk[] more = new Chunk[chunks.length + 1];
        System.arraycopy(chunks, 0, more, 0, chunks.length);
        more[chunks.length] = chunk;
        chunks = more;
    }

    /** The file has the first chunk. */
    synchronized void forget(Chunk chunk) {
        int index = 0;
        while (chunks[index].start != chunk.start) {
            index++;
        }
        Chunk[] fewer = new Chunk[chunks.length - 1];
        System.arraycopy(chunks, 0, fewer, 0, index);
        System.arraycopy(chunks, index + 1, fewer, index, fewer.length - index);
        chunks = fewer;
    }

    /** The chunk in memory that has an offset, or null. */
    private @Nullable Chunk chunkOf(long offset) {
        Chunk[] inMemory = chunks;
        for (int i = inMemory.length - 1; i >= 0; i--) {
            if (offset >= inMemory[i].start) {
                return inMemory[i];
            }
        }
        return null;
    }

    /** The value of a key, if it is there and in memory or mapped. */
    @Nullable
    StoredValue tryRead(long offset, byte[] key) {
        Chunk chunk = chunkOf(offset);
        if (chunk != null) {
            TailMemory memory = chunk.memory;
            long at = offset - chunk.start + chunk.from;
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
        Chunk chunk = chunkOf(pointer.offset());
        if (chunk != null) {
            long at = pointer.offset() - chunk.start + chunk.from;
            long bytes = pointer.recordBytes(owner.keyLength());
            if (at + bytes > chunk.memory.capacity()) {
                throw records.corrupt(pointer.offset(), "a pointer leads behind the end of what was written");
            }
            Slice record = chunk.memory.bytes((int) at, (int) bytes);
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
