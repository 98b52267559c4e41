package io.kvstore.value.append;

import io.kvstore.bytes.Slice;
import io.kvstore.value.segment.RecordEncoder;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory into which records are copied when they are appended. It keeps them until their file has them. One thread at a time
 * adds records. Any thread may read the records that were added.
 */
sealed interface TailMemory permits TailArray, TailBlock {

    /** How many bytes of records fit. Padding at the end does not count. */
    int capacity();

    void putHeader(int at, byte[] header);

    void put(int at, RecordEncoder record, long seed, long offset);

    /** A part of the bytes that were written, which do not change any more; null if they have left memory. */
    @Nullable
    Slice bytes(int at, int length);

    /** A part of the bytes that were written, as a buffer to write to a file. */
    ByteBuffer toBuffer(int from, int length);

    void retain();

    /** Removes a user of the memory. After the last one it may be used for other bytes. */
    void release();
}
