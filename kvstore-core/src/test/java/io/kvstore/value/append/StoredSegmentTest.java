package io.kvstore.value.append;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.bytes.Slice;
import io.kvstore.engine.Epochs;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.WriteBlocks;
import io.kvstore.testkit.SimStorage;
import io.kvstore.value.segment.ReadBuffers;
import io.kvstore.value.segment.RecordEncoder;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecords;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentFormat;
import io.kvstore.value.segment.ValueSegmentWriter;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class StoredSegmentTest {

    private static final String PATH = ValueSegment.fileName(1);
    private static final int TAG = 17;
    private static final long LSN = 3;

    private final SimStorage disk = new SimStorage();
    private final MemoryBudget memory = new MemoryBudget(64 << 20, 64 << 20);
    private final byte[] key = {1, 2, 3};
    private final byte[] value = new byte[1_000];
    private final ValueRecords.Owner owner = new ValueRecords.Owner(key, key.length, LSN);

    private TailBlock takeBlock() {
        TailBlock block = requireNonNull(TailBlock.of(memory.writeBlocks()));
        block.retain();
        return block;
    }

    private ValueSegment write() throws IOException {
        StorageFile file = disk.create(PATH);
        ValueSegmentWriter writer = new ValueSegmentWriter(file, 1, TAG);
        writer.append(Slice.of(key), LSN, Slice.of(value));
        ValueSegment written = ValueSegment.open(file, writer.finish(), TAG, new ReadBuffers());
        written.mapped(disk.mapReadOnly(PATH, written.info().bytes()), new Epochs());
        return written;
    }

    private void check(StoredSegment segment, ValuePointer pointer) throws IOException {
        assertArrayEquals(value, segment.read(pointer, owner, null).toArray());
        StoredValue found = requireNonNull(segment.tryRead(pointer.offset(), key, null));
        assertArrayEquals(value, found.value());
        assertEquals(LSN, found.lsn());
    }

    /** As for who looked up the chunk before its block was given back, and another one has written to the block since. */
    @Test
    void what_left_memory_while_it_was_looked_for_is_read_from_the_file() throws IOException {
        value[999] = 9;
        TailBlock block = takeBlock();
        StoredSegment segment = new StoredSegment(1, PATH, ValueSegmentFormat.seed(TAG, 1), gone -> {});
        TailChunk chunk = new TailChunk();
        chunk.open(segment, block, 0);
        block.release(); // the chunk has it
        segment.open(chunk);
        segment.addHeader(ValueSegmentFormat.header(TAG, 1), block, 0);
        RecordEncoder record = new RecordEncoder();
        record.set(key, LSN, value);
        long offset = segment.end();
        block.put((int) offset, record, segment.seed(), offset);
        segment.added(record.bytes());
        ValuePointer pointer = new ValuePointer(1, offset, value.length);
        check(segment, pointer);

        block.release();
        TailBlock other = takeBlock();
        other.putHeader(0, new byte[2_000]);
        assertThrows(CorruptionException.class, () -> segment.read(pointer, owner, null));
        assertNull(segment.tryRead(pointer.offset(), key, null));
        try (ValueSegment file = write()) {
            segment.inFile(file);
            check(segment, pointer);
        }
        other.release();
        assertEquals(WriteBlocks.BLOCK_BYTES, memory.usedBytes(), "one block served both");
        assertEquals(0, disk.openResources());
    }

    /** A block stays as long as any of those that need it. */
    @Test
    void a_block_is_given_back_by_the_last_of_its_users() {
        TailBlock block = takeBlock();
        block.retain();
        block.putHeader(7, new byte[] {1, 2, 3});
        block.release();
        assertArrayEquals(
                new byte[] {1, 2, 3}, requireNonNull(block.bytes(7, 3)).toArray());
        TailBlock other = takeBlock();
        assertNull(TailBlock.of(memory.writeBlocks()), "there are two");
        block.release();
        assertNull(block.bytes(7, 3));
        takeBlock().release();
        other.release();
        assertEquals(2L * WriteBlocks.BLOCK_BYTES, memory.usedBytes());
    }
}
