package io.kvstore.value.append;

import io.kvstore.bytes.ByteCopy;
import io.kvstore.bytes.Slice;
import io.kvstore.io.StorageFile;
import io.kvstore.memory.WriteBlocks;
import io.kvstore.value.segment.RecordEncoder;
import io.kvstore.value.segment.ValueSegmentFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap: one of the store's {@link WriteBlocks}. A byte whose offset in the file is a multiple of
 * {@link StorageFile#UNCACHED_UNIT_BYTES} is at such a multiple in the block too. So the block can be written past the
 * system's cache of files without another copy.
 *
 * <p>Readers do not pin the block. They copy bytes and then look whether the block was released meanwhile. Other bytes are
 * written to the block only after {@link #gone} was set. So a reader that does not find it set has copied the bytes that were
 * written here.
 */
public final class TailBlock implements TailMemory {

    /** Padding to the next multiple is shorter than this, with one more unit if it would be shorter than a record's head. */
    private static final int RESERVED_BYTES = 2 * ValueSegmentFormat.SYNCED_UNIT_BYTES;

    public static final int CAPACITY_BYTES = WriteBlocks.BLOCK_BYTES - RESERVED_BYTES;

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

    private final WriteBlocks blocks;
    private final MemorySegment memory;
    private final AtomicInteger users = new AtomicInteger();
    private volatile boolean gone;

    private TailBlock(WriteBlocks blocks, MemorySegment memory) {
        this.blocks = blocks;
        this.memory = memory;
    }

    /** Takes an empty block, or returns null if none can be had. */
    static @Nullable TailBlock of(WriteBlocks blocks) {
        MemorySegment memory = blocks.take();
        return memory == null ? null : new TailBlock(blocks, memory);
    }

    @Override
    public int capacity() {
        return CAPACITY_BYTES;
    }

    @Override
    public void putHeader(int at, byte[] header) {
        MemorySegment.copy(header, 0, memory, BYTE, at, header.length);
    }

    @Override
    public void put(int at, RecordEncoder record, long seed, long offset) {
        byte[] headAndKey = record.headAndKey(seed, offset);
        int length = record.headAndKeyBytes();
        ByteCopy.toSegment(headAndKey, 0, memory, at, length);
        ByteCopy.toSegment(record.valueArray(), record.valueFrom(), memory, (long) at + length, record.valueBytes());
    }

    @Override
    public @Nullable Slice bytes(int at, int length) {
        byte[] copy = new byte[length];
        MemorySegment.copy(memory, BYTE, at, copy, 0, length);
        VarHandle.acquireFence();
        return gone ? null : Slice.of(copy);
    }

    @Override
    public ByteBuffer toBuffer(int from, int length) {
        return memory.asSlice(from, length).asByteBuffer();
    }

    @Override
    public void retain() {
        users.incrementAndGet();
    }

    @Override
    public void release() {
        if (users.decrementAndGet() == 0) {
            gone = true;
            blocks.give(memory);
        }
    }
}
