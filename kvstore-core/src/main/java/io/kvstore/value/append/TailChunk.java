package io.kvstore.value.append;

import io.kvstore.value.segment.ValueSegmentInfo;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Whole records of one segment that lie one behind the other in memory. A chunk begins as spare. It is open while records are
 * added, then waits for the disk, and ends when its file has its bytes. It is used once, because readers may still hold it.
 *
 * <p>The fields that {@link #open} sets do not change while the chunk is in use. A reader that finds the chunk in its
 * {@link StoredSegment} sees them. A thread that takes the chunk from {@link WaitingChunks} also sees the fields that
 * {@link #close} sets. {@link #older} belongs to the segment, {@link #next} to the list of spare or of waiting chunks.
 */
final class TailChunk {

    /** The next older chunk of the same segment that is in memory; null if there is none. */
    volatile @Nullable TailChunk older;

    @Nullable
    TailChunk next;

    private @Nullable StoredSegment segment;
    private TailMemory memory = TailArray.EMPTY;
    private long start;
    private int from;
    private int length;
    private long knownBytes;
    private long knownRecords;
    private boolean isLast;

    /** Opens the chunk for records, at the present end of the segment, and retains the memory. */
    void open(StoredSegment of, TailMemory in, int at) {
        segment = of;
        start = of.end();
        memory = in;
        from = at;
        in.retain();
    }

    /** Closes the chunk. It gets no more records. */
    void close(int bytes, boolean last) {
        length = bytes;
        isLast = last;
        knownBytes = segment().end();
        knownRecords = segment().recordCount();
    }

    StoredSegment segment() {
        StoredSegment of = segment;
        if (of == null) {
            throw new IllegalStateException("a chunk that was not opened has no segment");
        }
        return of;
    }

    /** The offset in the segment of the first byte. */
    long start() {
        return start;
    }

    TailMemory memory() {
        return memory;
    }

    /** The index in the memory of the first byte. */
    int from() {
        return from;
    }

    int length() {
        return length;
    }

    /** The description of the segment up to the end of this chunk. */
    ValueSegmentInfo known() {
        return new ValueSegmentInfo(segment().number(), knownBytes, knownRecords);
    }

    /** Whether the segment ends with this chunk. */
    boolean isLast() {
        return isLast;
    }

    /** Whether the chunk is in a block, so that it can be written past the cache. */
    boolean isBlock() {
        return memory instanceof TailBlock;
    }

    long countedBytes() {
        return isBlock() ? 0 : length; // the budget counts whole blocks
    }

    void release() {
        memory.release();
    }

    ByteBuffer toBuffer() {
        return memory.toBuffer(from, length);
    }
}
