package io.kvstore.value;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.engine.Findings;
import io.kvstore.io.StorageFile;
import io.kvstore.memory.WriteBlocks;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.value.append.TailBlock;
import io.kvstore.value.segment.ReadBuffers;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Which values go past the cache of the system, and how they come into it when somebody reads them. */
final class ValueLogCacheTest extends ValueLogFixture {

    /** So many reads of a segment that is not in the system's cache bring it there. */
    private static final int READS_OF_COLD = 128;

    /** So little that large values are treated as all others. */
    @Override
    long mappableBytes() {
        return 2 << 20;
    }

    /** A segment has ten values here. */
    @Test
    void values_go_past_the_cache_when_a_segment_was_written_and_nobody_reads() throws IOException {
        writeSingly(values, 0, 11);
        assertEquals(0, values.uncachedBytes(), "they may be read soon");
        writeSingly(values, 11, 12);
        long once = values.uncachedBytes();
        assertTrue(once > VALUE_BYTES, once + " bytes");
        values.noteRead();
        writeSingly(values, 12, 23);
        assertEquals(once, values.uncachedBytes());
        writeSingly(values, 23, 25);
        assertEquals(3 * once, values.uncachedBytes());
        values.close();
    }

    /** Values in segments of 10 MiB. The first segment was filled with 106 values, so the next values go past the cache. */
    private ValueLog loaded(List<ValuePointer> pointers) throws IOException {
        LongSupplier next = numbers::getAndIncrement;
        ValueLog large = new ValueLog(LoneTable.on(disk, memory, clock, background), 10 << 20, next);
        appendTo(large, pointers, 106);
        large.seal();
        large.write();
        return large;
    }

    /** A budget of 64 MiB has two blocks. While both are taken, the segment goes on in arrays. */
    @Test
    void values_are_in_blocks_while_nobody_reads_and_there_are_some() throws IOException {
        List<ValuePointer> pointers = new ArrayList<>();
        ValueLog large = loaded(pointers);
        assertEquals(0, large.uncachedBytes(), "through the cache until a segment was written");
        assertEquals(0, memory.usedBytes());
        appendTo(large, pointers, 106 + 82);
        assertEquals(2L * WriteBlocks.BLOCK_BYTES, memory.usedBytes(), "41 values are in a block");
        appendTo(large, pointers, 106 + 85);
        assertEquals(
                2L * WriteBlocks.BLOCK_BYTES + 2 * pointers.getFirst().recordBytes(4), memory.usedBytes(), "in arrays");
        checkAll(large, pointers);
        large.write();
        assertEquals(2L * WriteBlocks.BLOCK_BYTES, memory.usedBytes(), "the blocks are kept");
        checkAll(large, pointers);
        long uncached = large.uncachedBytes();
        assertEquals(
                2L
                        * Math.ceilDiv(41 * pointers.getFirst().recordBytes(4), StorageFile.UNCACHED_UNIT_BYTES)
                        * StorageFile.UNCACHED_UNIT_BYTES,
                uncached);
        appendTo(large, pointers, 106 + 104 + 41);
        assertTrue(memory.usedBytes() < 3L * WriteBlocks.BLOCK_BYTES, "and were taken again for the next segment");
        assertTrue(large.waitingBytes() < WriteBlocks.BLOCK_BYTES);
        for (int more = 60; more <= 120; more += 20) {
            appendTo(large, pointers, 106 + 104 + more);
            large.write();
        }
        assertEquals(5, pointers.getLast().segment(), "that begins in the middle of a block");
        large.seal();
        large.write();
        checkAll(large, pointers);
        verify(large, pointers.getLast().segment());
        appendTo(large, pointers, pointers.size() + 42);
        assertNull(memory.writeBlocks().take(), "a block waits, another one is filled");
        large.close();
        checkMemoryIsFree();
        assertEquals(0, disk.openResources());
    }

    private void verify(ValueLog written, long last) throws IOException {
        int tag = LoneTable.on(disk, memory, clock, background).fileTag();
        Findings findings = new Findings();
        for (long number = 1; number <= last; number++) {
            StorageFile file = disk.open(LoneTable.DIRECTORY + "/" + ValueSegment.fileName(number));
            try (ValueSegment segment =
                    ValueSegment.open(file, segment(written, number).info(), tag, new ReadBuffers())) {
                segment.verify(findings);
            }
        }
        assertEquals(List.of(), findings.kept());
    }

    /** A value that does not fit into a block goes to an array of its own, in a segment that began with a block. */
    @Test
    void values_as_long_as_a_block_and_longer() throws IOException {
        List<ValuePointer> pointers = new ArrayList<>();
        ValueLog large = loaded(pointers);
        int fits = (int) (TailBlock.CAPACITY_BYTES - new ValuePointer(1, 1, 0).recordBytes(4));
        for (int length : new int[] {fits - 1, fits, fits + 1, WriteBlocks.BLOCK_BYTES + 1}) {
            appendTo(large, pointers, pointers.size() + 1);
            byte[] value = new byte[length];
            value[length - 1] = 7;
            large.reserve(List.of(new Mutation.Put(key(0), value)), 0);
            long offset = large.add(key(0), 1, value);
            ValuePointer pointer = new ValuePointer(large.addedTo(), offset, length);
            assertArrayEquals(value, large.read(pointer, key(0)), "in memory, of " + length);
            large.seal();
            large.write();
            assertArrayEquals(value, large.read(pointer, key(0)), "of " + length);
        }
        checkAll(large, pointers);
        verify(large, pointers.getLast().segment());
        large.close();
        checkMemoryIsFree();
    }

    @Test
    void a_segment_that_went_past_the_cache_is_read_as_a_whole_after_some_reads() throws IOException {
        List<String> read = new ArrayList<>();
        ValueLog watched = on(HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("read")) {
                read.add(path);
            }
            return proceed.call();
        }));
        List<ValuePointer> pointers = writeSingly(watched, 0, 12);
        ValuePointer cached = pointers.getFirst();
        ValuePointer cold = pointers.getLast();
        assertArrayEquals(value(11), watched.read(cold, key(11)));
        background.runAll();
        assertEquals(List.of(), read, "it is mapped, and that is all");
        String path = LoneTable.DIRECTORY + "/" + ValueSegment.fileName(cold.segment());
        for (int i = 0; i < READS_OF_COLD / 2; i++) {
            assertEquals(0, background.queued(), i + " pairs of reads");
            watched.read(cached, key(0));
            watched.read(cached, key(0));
            assertNotNull(watched.tryRead(cold.segment(), cold.offset(), key(11), null));
            assertArrayEquals(value(11), watched.read(cold, key(11)));
        }
        assertEquals(1, background.queued());
        assertEquals(List.of(), read);
        background.runAll();
        assertEquals(List.of(path, path), read, "one piece, and the end");
        for (int i = 0; i < 2 * READS_OF_COLD; i++) {
            watched.read(cold, key(11));
        }
        assertEquals(0, background.queued(), "once is enough");
        watched.close();
        assertEquals(0, disk.openResources());
    }

    /** To read ahead is a hint: a file that is gone meanwhile is left alone. A store that ends waits for the reading. */
    @Test
    void a_segment_that_is_released_before_it_is_read_as_a_whole_is_left_alone() throws IOException {
        List<ValuePointer> pointers = writeSingly(values, 0, 13);
        values.read(pointers.get(11), key(11));
        values.read(pointers.get(12), key(12));
        background.runAll();
        for (int number = 11; number < 13; number++) {
            for (int i = 0; i < READS_OF_COLD; i++) {
                values.read(pointers.get(number), key(number));
            }
        }
        values.release(pointers.get(11).segment());
        background.runNext();
        assertEquals(1, background.queued(), "the other one");
        values.close();
        background.runAll();
        assertEquals(0, disk.openResources());
    }
}
