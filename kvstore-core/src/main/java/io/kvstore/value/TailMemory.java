package io.kvstore.value;

import io.kvstore.io.Slice;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory that records are copied to when they are appended, and that has them until their file does. One thread at a time adds;
 * what was added can be read by any.
 */
sealed interface TailMemory permits TailArray, TailBlock {

    /** How many bytes there is room for; padding at the end needs none of them. */
    int capacity();

    /** A segment begins at a multiple of this. */
    int alignmentBytes();

    /** Writes the header of a segment. */
    void putHeader(int at, byte[] header);

    /**
     * Writes a record.
     *
     * @param seed of the segment
     * @param offset in the segment
     */
    void put(int at, RecordEncoder record, long seed, long offset);

    /** Some of what was written, which does not change any more; null if it has left memory. */
    @Nullable
    Slice bytes(int at, int length);

    /** Some of what was written, to be written to a file. */
    ByteBuffer toBuffer(int from, int length);

    /** What so many bytes of it add to what the budget counts. */
    long countedBytes(int length);

    /** One more needs what is here. */
    void retain();

    /** One less needs what is here; it leaves memory with the last one. */
    void release();
}
