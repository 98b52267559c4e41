package io.kvstore.value;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Whole records of one segment that lie one behind the other in memory. A chunk is spare, then open while records are added,
 * then waits for being written, then is in its file and done for; it is used once, as readers may still hold it.
 *
 * <p>What {@link #open} sets does not change before the chunk is done for, and is seen by readers that find it in its
 * {@link StoredSegment}. What {@link #close} sets is seen by the thread that takes it from {@link WaitingChunks}.
 * {@link #older} belongs to the segment, {@link #next} to the list of those that are spare or wait.
 */
final class TailChunk {

    /** Of the same segment, the one before that is in memory; null if there is none. */
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

    /**
     * Takes the records that come.
     *
     * @param of begins there as long as it is now
     * @param at where in the memory, which is held from now on
     */
    void open(StoredSegment of, TailMemory in, int at) {
        segment = of;
        start = of.end();
        memory = in;
        from = at;
        in.retain();
    }

    /** Gets no more records. */
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

    /** Where in the segment the first byte is. */
    long start() {
        return start;
    }

    TailMemory memory() {
        return memory;
    }

    /** Where in the memory. */
    int from() {
        return from;
    }

    int length() {
        return length;
    }

    /** Of the segment, up to the end of the chunk. */
    ValueSegmentInfo known() {
        return new ValueSegmentInfo(segment().number(), knownBytes, knownRecords);
    }

    /** Whether the segment ends there. */
    boolean isLast() {
        return isLast;
    }

    /** Whether it can be written past the cache. */
    boolean isBlock() {
        return memory instanceof TailBlock;
    }

    /** What the budget counts for it, beside the blocks. */
    long countedBytes() {
        return memory.countedBytes(length);
    }

    /** What it was in is free for others. */
    void release() {
        memory.release();
    }

    ByteBuffer toBuffer() {
        return memory.toBuffer(from, length);
    }
}
