package io.kvstore.value;

import io.kvstore.data.Mutation;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link ValueStore} grows: the segment that takes records, the array they are copied into, and the chunks that wait
 * for being written. For the one who writes to the store, but for {@link #waiting}.
 */
final class ValueTail {

    private static final int LEAST_ARRAY_BYTES = 4 << 10;
    private static final int LARGEST_ARRAY_BYTES = 64 << 10;

    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<byte[]> prepared = new ArrayDeque<>();
    private final byte[] none = {};
    private byte[] array = none;
    private int used;
    private int chunkFrom;
    private long closedBytes;
    private int nextArrayBytes = LEAST_ARRAY_BYTES;
    private @Nullable StoredSegment segment;
    private StoredSegment.@Nullable Chunk chunk;

    /**
     * A chunk that gets no more records.
     *
     * @param length its bytes
     * @param known of the segment, up to the end of the chunk
     * @param isLast whether the segment ends there
     */
    record Waiting(
            StoredSegment segment, StoredSegment.Chunk chunk, int length, ValueSegmentInfo known, boolean isLast) {}

    /** What is to be written, in order. */
    Queue<Waiting> waiting() {
        return waiting;
    }

    /** The segment that takes records. */
    @Nullable
    StoredSegment segment() {
        return segment;
    }

    /** Has the memory for the values of some mutations at hand; what was reserved before is forgotten. */
    void reserve(List<Mutation> mutations, int leastBytes) {
        prepared.clear();
        long room = (long) array.length - used;
        for (Mutation mutation : mutations) {
            if (mutation instanceof Mutation.Put(byte[] key, byte[] value) && value.length >= leastBytes) {
                long needed = needed(key.length, value.length);
                if (room < needed) {
                    prepared.add(newArray(needed));
                    room = prepared.getLast().length;
                }
                room -= needed;
            }
        }
    }

    /** What a record may take: it may be the first of a segment. */
    private static long needed(int keyLength, int valueLength) {
        return ValueSegmentFormat.HEADER_BYTES + ValueSegmentFormat.recordBytes(keyLength, valueLength);
    }

    /** How large the next array is, at least. */
    int arrayBytes() {
        return nextArrayBytes;
    }

    private byte[] newArray(long needed) {
        byte[] result = new byte[Math.toIntExact(Math.max(nextArrayBytes, needed))];
        nextArrayBytes = Math.min(2 * nextArrayBytes, LARGEST_ARRAY_BYTES);
        return result;
    }

    /** Begins a segment that takes the records from now on. */
    void begin(StoredSegment next, byte[] header, long recordBytes) {
        makeRoom(header.length + recordBytes);
        segment = next;
        openChunk();
        next.addHeader(header, array, used);
        used += header.length;
    }

    /** Adds a record to the segment. */
    ValuePointer add(ValueSegmentFormat.Content content) {
        StoredSegment target = segment;
        if (target == null) {
            throw new IllegalStateException("no segment was begun");
        }
        long bytes = content.recordBytes();
        takeRoom(bytes);
        ValuePointer pointer = target.add(content, array, used);
        used += (int) bytes;
        return pointer;
    }

    /** Has room in the chunk that is open. */
    private void takeRoom(long bytes) {
        if (array.length - used < bytes) {
            closeChunk(false);
            makeRoom(bytes);
        }
        if (chunk == null) {
            openChunk();
        }
    }

    private void makeRoom(long bytes) {
        if (array.length - used < bytes) {
            byte[] next = prepared.poll();
            while (next != null && next.length < bytes) {
                next = prepared.poll();
            }
            array = next == null ? newArray(bytes) : next;
            used = 0;
        }
    }

    private void openChunk() {
        if (segment != null) {
            chunk = new StoredSegment.Chunk(segment.end(), array, used);
            chunkFrom = used;
            segment.open(chunk);
        }
    }

    /** How long the segment is that takes records. */
    long end() {
        return segment == null ? 0 : segment.end();
    }

    /** Ends what was added so far where later writes may begin. */
    void pad() {
        StoredSegment target = segment;
        int bytes = target == null || target.isSealed() ? 0 : ValueSegmentFormat.paddingBytes(target.end());
        if (target != null && bytes > 0) {
            takeRoom(bytes);
            target.addPadding(bytes, array, used);
            used += bytes;
        }
    }

    /** What was added so far waits for being written. */
    void closeChunk(boolean isLast) {
        StoredSegment of = segment;
        int length = chunk == null ? 0 : used - chunkFrom;
        if (of != null && (length > 0 || isLast)) {
            waiting.add(new Waiting(
                    of,
                    chunk == null ? new StoredSegment.Chunk(of.end(), none, 0) : chunk,
                    length,
                    of.use().info(),
                    isLast));
            chunk = null;
            closedBytes += length;
        }
    }

    /** How many bytes began to wait for being written since the last call. */
    long takeClosedBytes() {
        long result = closedBytes;
        closedBytes = 0;
        return result;
    }

    /** Gives the memory back that waits for more records. */
    void rest() {
        array = none;
        used = 0;
        nextArrayBytes = LEAST_ARRAY_BYTES;
        prepared.clear();
    }
}
