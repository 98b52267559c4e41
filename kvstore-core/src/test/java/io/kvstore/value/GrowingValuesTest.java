package io.kvstore.value;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.engine.Findings;
import io.kvstore.engine.MemoryBudget;
import io.kvstore.engine.WriteBlocks;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.FileAppender;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.append.TailBlock;
import io.kvstore.value.segment.ReadBuffers;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class GrowingValuesTest {

    private static final int VALUE_BYTES = 100_000;

    /** What more waits for being written makes writers wait. */
    private static final int CONGESTED_BYTES = 16 << 20;

    /** So many reads of a segment that is not in the system's cache bring it there. */
    private static final int READS_OF_COLD = 128;

    private final SimStorage disk = new SimStorage();
    private final FaultyStorage faulty = new FaultyStorage(disk);
    private final MemoryBudget memory = new MemoryBudget(64 << 20, 64 << 20);
    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final AtomicLong numbers = new AtomicLong(1);
    private final GrowingValues values = on(faulty);

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.syncDirectory("");
    }

    private GrowingValues on(Storage storage) {
        return new GrowingValues(LoneTable.on(storage, memory, clock, background), 1 << 20, numbers::getAndIncrement);
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] value(int number) {
        byte[] value = new byte[VALUE_BYTES];
        value[0] = (byte) number;
        value[VALUE_BYTES - 1] = (byte) (number >> 8);
        return value;
    }

    private ValuePointer append(int number) {
        return append(values, number);
    }

    private static ValuePointer append(GrowingValues to, int number) {
        to.reserve(List.of(new Mutation.Put(key(number), value(number))), 0);
        long offset = to.add(key(number), number + 1, value(number));
        return new ValuePointer(to.addedTo(), offset, VALUE_BYTES);
    }

    private void check(ValuePointer pointer, int number) throws IOException {
        assertArrayEquals(value(number), values.read(pointer, key(number), 4));
        StoredValue found = values.tryRead(pointer.segment(), pointer.offset(), key(number));
        if (found != null) {
            assertArrayEquals(value(number), found.value());
            assertEquals(number + 1, found.lsn());
        }
        assertNull(values.tryRead(pointer.segment(), pointer.offset(), key(number + 1)));
    }

    /** To close a file may let go of what waited for its readers, and that of segments. */
    @Test
    void segments_that_are_let_go_while_one_is_deleted_go_too() throws IOException {
        List<Runnable> atDeletions = new ArrayList<>();
        GrowingValues some = on(HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("delete") && !atDeletions.isEmpty()) {
                atDeletions.removeLast().run();
            }
            return proceed.call();
        }));
        List<Long> segments = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            segments.add(append(some, i).segment());
            some.seal();
        }
        some.write();
        atDeletions.add(() -> some.release(segments.get(1), true));
        some.release(segments.get(0), true);
        assertEquals(1, disk.list(LoneTable.DIRECTORY).size());
        assertTrue(some.has(segments.get(2)));
        some.close();
    }

    @Test
    void a_thread_is_woken_when_enough_is_to_be_written_or_memory_is_short() {
        int number = 0;
        memory.take(MemoryBudget.Use.MEMTABLE, 32 << 20);
        while (values.waitingBytes() < memory.totalBytes() / 128 - VALUE_BYTES) {
            append(number++);
        }
        values.admit();
        assertEquals(0, background.queued(), "too little, even if memory is short");
        while (values.waitingBytes() < memory.totalBytes() / 128) {
            append(number++);
        }
        memory.release(MemoryBudget.Use.MEMTABLE, 32 << 20);
        values.admit();
        assertEquals(0, background.queued());
        memory.take(MemoryBudget.Use.MEMTABLE, 32 << 20);
        values.admit();
        assertEquals(1, background.queued());
        background.runAll();
        assertEquals(0, values.waitingBytes());
        memory.release(MemoryBudget.Use.MEMTABLE, 32 << 20);
        while (values.waitingBytes() < 1 << 20) {
            append(number++);
        }
        values.admit();
        assertEquals(1, background.queued());
    }

    /** Or else who makes a segment durable would wait as long as writers are as fast as the disk. */
    @Test
    void what_comes_while_values_are_written_is_left_for_the_next_time() throws IOException {
        List<GrowingValues> busy = new ArrayList<>();
        AtomicInteger number = new AtomicInteger(40);
        Storage storage = HookedStorage.over(disk, (name, path, proceed) -> {
            for (int i = 0; name.startsWith("write") && i < 10 && number.get() < 500; i++) {
                append(busy.getFirst(), number.getAndIncrement());
            }
            return proceed.call();
        });
        busy.add(on(storage));
        for (int i = 0; i < 40; i++) {
            append(busy.getFirst(), i);
        }
        busy.getFirst().seal();
        busy.getFirst().write();
        assertTrue(number.get() > 40, "values came meanwhile");
        assertTrue(number.get() < 500, "they were waited for");
        for (int segment = 1; segment <= 4; segment++) {
            try (StorageFile file = disk.open(LoneTable.DIRECTORY + "/" + ValueSegment.fileName(segment))) {
                assertEquals(busy.getFirst().info(segment).bytes(), file.size());
            }
        }
        busy.getFirst().admit();
        background.runNext();
        assertEquals(500, number.get(), "who writes behind goes on with them");
        assertTrue(busy.getFirst().waitingBytes() < 1 << 20, busy.getFirst().waitingBytes() + " bytes wait");
        busy.getFirst().close();
    }

    @Test
    void values_are_read_while_they_wait_when_they_are_written_and_until_they_are_released() throws IOException {
        ValuePointer[] pointers = new ValuePointer[25];
        for (int i = 0; i < pointers.length; i++) {
            pointers[i] = append(i);
            check(pointers[i], i);
        }
        assertEquals(3, pointers[24].segment(), "ten values fit into a segment");
        values.seal();
        values.write();
        assertEquals(0, values.waitingBytes());
        assertEquals(values.info(2).bytes(), values.fileBytes(number -> number == 2));
        for (int i = 0; i < pointers.length; i++) {
            check(pointers[i], i);
        }
        background.runAll();
        for (int i = 0; i < pointers.length; i++) {
            check(pointers[i], i);
            assertNotNull(values.tryRead(pointers[i].segment(), pointers[i].offset(), key(i)), "it is mapped");
        }
        values.sync(Set.of(1L, 3L));
        assertEquals(10, values.info(1).records());
        assertThrows(IllegalStateException.class, () -> values.sync(Set.of(9L)));
        values.release(1, false);
        values.release(2, true);
        assertNull(values.read(pointers[0], key(0), 4));
        check(pointers[24], 24);
        assertEquals(List.of(ValueSegment.fileName(1), ValueSegment.fileName(3)), disk.list(LoneTable.DIRECTORY));
        values.close();
        checkMemoryIsFree();
        assertEquals(0, disk.openResources());
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

    /** Values in segments of 10 MiB, of which the first was filled with 106: what comes is written past the cache. */
    private GrowingValues loaded(List<ValuePointer> pointers) throws IOException {
        LongSupplier next = numbers::getAndIncrement;
        GrowingValues large = new GrowingValues(LoneTable.on(disk, memory, clock, background), 10 << 20, next);
        appendTo(large, pointers, 106);
        large.seal();
        large.write();
        return large;
    }

    /** Two blocks are what a budget of 64 MiB has; where they are taken, the segment goes on in arrays. */
    @Test
    void values_are_in_blocks_while_nobody_reads_and_there_are_some() throws IOException {
        List<ValuePointer> pointers = new ArrayList<>();
        GrowingValues large = loaded(pointers);
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

    private void verify(GrowingValues written, long last) throws IOException {
        int tag = LoneTable.on(disk, memory, clock, background).fileTag();
        Findings findings = new Findings();
        for (long number = 1; number <= last; number++) {
            StorageFile file = disk.open(LoneTable.DIRECTORY + "/" + ValueSegment.fileName(number));
            try (ValueSegment segment = ValueSegment.open(file, written.info(number), tag, new ReadBuffers())) {
                segment.verify(findings);
            }
        }
        assertEquals(List.of(), findings.kept());
    }

    /** What does not fit into a block goes to an array of its own, in a segment that began with a block. */
    @Test
    void values_as_long_as_a_block_and_longer() throws IOException {
        List<ValuePointer> pointers = new ArrayList<>();
        GrowingValues large = loaded(pointers);
        int fits = (int) (TailBlock.CAPACITY_BYTES - new ValuePointer(1, 1, 0).recordBytes(4));
        for (int length : new int[] {fits - 1, fits, fits + 1, WriteBlocks.BLOCK_BYTES + 1}) {
            appendTo(large, pointers, pointers.size() + 1);
            byte[] value = new byte[length];
            value[length - 1] = 7;
            large.reserve(List.of(new Mutation.Put(key(0), value)), 0);
            long offset = large.add(key(0), 1, value);
            ValuePointer pointer = new ValuePointer(large.addedTo(), offset, length);
            assertArrayEquals(value, large.read(pointer, key(0), 4), "in memory, of " + length);
            large.seal();
            large.write();
            assertArrayEquals(value, large.read(pointer, key(0), 4), "of " + length);
        }
        checkAll(large, pointers);
        verify(large, pointers.getLast().segment());
        large.close();
        checkMemoryIsFree();
    }

    /** But for blocks, which are kept. */
    private void checkMemoryIsFree() {
        assertEquals(memory.writeBlocks().keptBytes(), memory.usedBytes());
    }

    private static void appendTo(GrowingValues to, List<ValuePointer> pointers, int end) {
        while (pointers.size() < end) {
            pointers.add(append(to, pointers.size()));
        }
    }

    private static void checkAll(GrowingValues from, List<ValuePointer> pointers) throws IOException {
        for (int number = 0; number < pointers.size(); number++) {
            ValuePointer pointer = pointers.get(number);
            assertArrayEquals(value(number), from.read(pointer, key(number), 4));
            StoredValue found = from.tryRead(pointer.segment(), pointer.offset(), key(number));
            assertTrue(found == null || Arrays.equals(value(number), found.value()));
            assertNull(from.tryRead(pointer.segment(), pointer.offset(), key(number + 1)));
        }
    }

    /** Each one in a segment of its own. */
    private static List<ValuePointer> writeSingly(GrowingValues to, int from, int end) throws IOException {
        List<ValuePointer> pointers = new ArrayList<>();
        for (int number = from; number < end; number++) {
            pointers.add(append(to, number));
            to.seal();
            to.write();
        }
        return pointers;
    }

    /** Whoever opened the file: who reads the values of a memtable, or those of an SSTable. */
    @Test
    void a_segment_that_went_past_the_cache_is_read_as_a_whole_after_some_reads() throws IOException {
        List<String> read = new ArrayList<>();
        GrowingValues watched = on(HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("read")) {
                read.add(path);
            }
            return proceed.call();
        }));
        List<ValuePointer> pointers = writeSingly(watched, 0, 12);
        ValuePointer cached = pointers.getFirst();
        ValuePointer cold = pointers.getLast();
        assertArrayEquals(value(11), watched.read(cold, key(11), 4));
        background.runAll();
        assertEquals(List.of(), read, "it is mapped, and that is all");
        String path = LoneTable.DIRECTORY + "/" + ValueSegment.fileName(cold.segment());
        int tag = LoneTable.on(disk, memory, clock, background).fileTag();
        ValueSegment other = ValueSegment.open(disk.open(path), watched.info(cold.segment()), tag, new ReadBuffers());
        other.mapped(disk.mapReadOnly(path, other.info().bytes()));
        watched.shareCold(cold.segment(), other);
        for (int i = 0; i < READS_OF_COLD / 2; i++) {
            assertEquals(0, background.queued(), i + " pairs of reads");
            watched.read(cached, key(0), 4);
            watched.read(cached, key(0), 4);
            assertNotNull(watched.tryRead(cold.segment(), cold.offset(), key(11)));
            assertArrayEquals(value(11), other.read(cold, key(11), 4, 12));
        }
        assertEquals(1, background.queued());
        assertEquals(List.of(), read);
        background.runAll();
        assertEquals(List.of(path, path), read, "one piece, and the end");
        for (int i = 0; i < 2 * READS_OF_COLD; i++) {
            watched.read(cold, key(11), 4);
            other.read(cold, key(11), 4, 12);
        }
        assertEquals(0, background.queued(), "once is enough");
        other.close();
        watched.close();
        assertEquals(0, disk.openResources());
    }

    /** What is read ahead is a hint; a file that is gone meanwhile is none of its business, and a store that ends waits. */
    @Test
    void a_segment_that_is_released_before_it_is_read_as_a_whole_is_left_alone() throws IOException {
        List<ValuePointer> pointers = writeSingly(values, 0, 13);
        values.read(pointers.get(11), key(11), 4);
        values.read(pointers.get(12), key(12), 4);
        background.runAll();
        for (int number = 11; number < 13; number++) {
            for (int i = 0; i < READS_OF_COLD; i++) {
                values.read(pointers.get(number), key(number), 4);
            }
        }
        values.release(pointers.get(11).segment(), true);
        background.runNext();
        assertEquals(1, background.queued(), "the other one");
        values.close();
        background.runAll();
        assertEquals(0, disk.openResources());
    }

    @Test
    void a_segment_that_grows_is_not_synced() {
        append(0);
        assertThrows(IllegalStateException.class, () -> values.sync(Set.of(1L)));
    }

    /** A full disk is told as such, and all goes on when there is room; another failure does not let writers spin. */
    @Test
    void writers_do_not_go_on_while_values_cannot_be_written() throws IOException {
        int written = 0;
        faulty.arm(FaultPlan.diskFull(1));
        while (!values.isCongested()) {
            append(written++);
        }
        assertTrue(written * (long) VALUE_BYTES > CONGESTED_BYTES - (1 << 20));
        assertThrows(NoSpaceException.class, values::write);
        assertTrue(values.isFull());
        values.admit();
        faulty.disarm();
        background.runAll();
        assertFalse(values.isFull());
        assertFalse(values.isCongested());
        while (!values.isCongested()) {
            append(written++);
        }
        for (int more = 0; more < 20; more++) {
            append(written++);
        }
        faulty.arm(FaultPlan.ioError(1).sticky(true));
        OverloadedException refusal = assertThrows(OverloadedException.class, values::admit);
        assertTrue(String.valueOf(refusal.getMessage()).contains("could not be written"), refusal.getMessage());
        faulty.disarm();
        values.close();
        checkMemoryIsFree();
        assertEquals(0, disk.openResources());
    }

    @Test
    void what_the_file_has_when_the_disk_is_full_leaves_memory() throws IOException {
        List<ValuePointer> pointers = new ArrayList<>();
        for (int number = 0; number < 8; number++) {
            pointers.add(append(number));
        }
        values.seal();
        long before = values.waitingBytes();
        faulty.arm(new FaultPlan(Set.of(Operation.WRITE), 3, true, FaultPlan.Fault.NO_SPACE));
        assertThrows(NoSpaceException.class, values::write);
        long written = before - values.waitingBytes();
        long most = 3L * FileAppender.PIECE_BYTES;
        assertTrue(written > most - VALUE_BYTES && written <= most, written + " bytes of " + most);
        assertEquals(values.waitingBytes(), memory.usedBytes());
        for (int number = 0; number < 8; number++) {
            check(pointers.get(number), number);
        }
        faulty.disarm();
        values.write();
        assertEquals(0, values.waitingBytes());
        for (int number = 0; number < 8; number++) {
            check(pointers.get(number), number);
        }
        values.close();
    }

    /** What is told is that the disk is full, and the file that could not be deleted is used when there is room. */
    @Test
    void a_file_that_can_neither_be_written_nor_deleted_is_tried_again() throws IOException {
        ValuePointer pointer = append(0);
        values.seal();
        faulty.arm(new FaultPlan(Set.of(Operation.WRITE, Operation.DELETE), 0, true, FaultPlan.Fault.NO_SPACE));
        NoSpaceException refusal = assertThrows(NoSpaceException.class, values::write);
        assertTrue(String.valueOf(refusal.getMessage()).contains("at WRITE"), refusal.getMessage());
        assertEquals(2, faulty.failed());
        check(pointer, 0);
        faulty.disarm();
        values.write();
        assertEquals(0, values.waitingBytes());
        check(pointer, 0);
        values.close();
        assertEquals(0, disk.openResources());
    }
}
