package io.kvstore.value;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.Slice;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.FileAppender;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.Operation;
import io.kvstore.value.append.NewSegment;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ValueLogTest extends ValueLogFixture {

    /** Writers wait while more bytes than this wait for being written. */
    private static final int CONGESTED_BYTES = 16 << 20;

    /** To close a file may run actions that waited for its readers, and these may let go of other segments. */
    @Test
    void segments_that_are_let_go_while_one_is_deleted_go_too() throws IOException {
        List<Runnable> atDeletions = new ArrayList<>();
        ValueLog some = on(HookedStorage.over(disk, (name, path, proceed) -> {
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
        atDeletions.add(() -> some.release(segments.get(1)));
        some.release(segments.get(0));
        assertEquals(1, disk.list(LoneTable.DIRECTORY).size());
        assertNotNull(some.segment(segments.get(2)));
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

    /** Otherwise a thread that makes a segment durable would wait as long as writers are as fast as the disk. */
    @Test
    void what_comes_while_values_are_written_is_left_for_the_next_time() throws IOException {
        List<ValueLog> busy = new ArrayList<>();
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
                assertEquals(segment(busy.getFirst(), segment).end(), file.size());
            }
        }
        busy.getFirst().admit();
        background.runNext();
        assertEquals(500, number.get(), "the thread that writes behind goes on with them");
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
        assertEquals(segment(values, 2).end(), values.fileBytes(segment -> segment.number() == 2));
        for (int i = 0; i < pointers.length; i++) {
            check(pointers[i], i);
        }
        background.runAll();
        for (int i = 0; i < pointers.length; i++) {
            check(pointers[i], i);
            assertNotNull(values.tryRead(pointers[i].segment(), pointers[i].offset(), key(i), null), "it is mapped");
        }
        values.sync(Set.of(1L, 3L));
        assertEquals(10, segment(values, 1).info().records());
        assertThrows(IllegalStateException.class, () -> values.sync(Set.of(9L)));
        values.release(2);
        assertNull(values.read(pointers[10], key(10)));
        assertNull(values.tryRead(2, pointers[10].offset(), key(10), null));
        check(pointers[24], 24);
        assertEquals(List.of(ValueSegment.fileName(1), ValueSegment.fileName(3)), disk.list(LoneTable.DIRECTORY));
        values.close();
        checkMemoryIsFree();
        assertEquals(0, disk.openResources());
    }

    /** An index, a list and a reader have one lease each; the file is there until the last of them has given its lease back. */
    @Test
    void the_last_lease_that_is_given_back_takes_the_file_with_it() throws IOException {
        ValuePointer pointer = append(0);
        StoredSegment segment = segment(values, pointer.segment());
        segment.retain().retain();
        values.seal();
        values.write();
        for (int given = 0; given < 2; given++) {
            segment.release();
            check(pointer, 0);
            assertEquals(1, disk.list(LoneTable.DIRECTORY).size());
        }
        segment.release();
        assertNull(values.read(pointer, key(0)));
        assertEquals(List.of(), disk.list(LoneTable.DIRECTORY));
        assertThrows(IllegalStateException.class, segment::retain);
        ValuePointer kept = append(1);
        StoredSegment left = segment(values, kept.segment());
        values.seal();
        values.write();
        values.close();
        left.release();
        assertEquals(1, disk.list(LoneTable.DIRECTORY).size(), "a log that is closed deletes nothing");
        assertThrows(IllegalStateException.class, left::release);
        assertEquals(0, disk.openResources());
    }

    /** While another thread writes: the write goes on, and one thing does not wait for the other. */
    @Test
    void a_segment_that_is_let_go_during_a_long_write_goes_before_the_write_ends() throws IOException {
        List<ValueLog> busy = new ArrayList<>();
        List<Boolean> thereAtWrites = new ArrayList<>();
        String first = LoneTable.DIRECTORY + "/" + ValueSegment.fileName(1);
        busy.add(on(HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.startsWith("write") && !path.equals(first)) {
                thereAtWrites.add(disk.exists(first));
                if (thereAtWrites.size() == 1) {
                    Thread other =
                            Thread.ofPlatform().start(() -> busy.getFirst().release(1));
                    other.join(60_000);
                    assertFalse(other.isAlive(), "it waits for the write");
                }
            }
            return proceed.call();
        })));
        ValueLog log = busy.getFirst();
        append(log, 0);
        log.seal();
        log.write();
        for (int number = 1; number < 60; number++) {
            append(log, number);
        }
        log.seal();
        log.write();
        assertTrue(thereAtWrites.size() > 2, thereAtWrites.size() + " writes");
        assertTrue(thereAtWrites.getFirst());
        assertFalse(thereAtWrites.getLast());
        log.close();
    }

    @Test
    void a_write_does_not_fail_because_a_segment_cannot_go() throws IOException {
        boolean[] fails = {true};
        ValueLog log = new ValueLog(
                LoneTable.on(disk, memory, clock, background),
                new ValueLog.Sizes(1 << 20, () -> 1 << 20),
                numbers::getAndIncrement,
                segment -> {},
                gone -> {
                    if (fails[0]) {
                        throw new IllegalStateException("planted");
                    }
                });
        ValuePointer kept = append(log, 0);
        log.seal();
        ValuePointer released = append(log, 1);
        log.seal();
        log.write();
        log.release(released.segment());
        log.write();
        log.sync(Set.of(kept.segment()));
        assertArrayEquals(value(0), log.read(kept, key(0)));
        fails[0] = false;
        log.write();
        assertNull(log.read(released, key(1)));
        assertEquals(List.of(ValueSegment.fileName(kept.segment())), disk.list(LoneTable.DIRECTORY));
        log.close();
        assertEquals(0, disk.openResources());
    }

    @Test
    void a_job_writes_a_segment_as_a_whole_beside_the_one_that_grows() throws IOException {
        ValuePointer growing = append(0);
        ValuePointer moved;
        try (NewSegment job = values.newSegment()) {
            moved = job.append(Slice.of(key(1)), 2, Slice.of(value(1)));
            assertNull(values.read(moved, key(1)), "nobody reads it before it is finished");
            StoredSegment finished = job.finish();
            assertTrue(finished.isInOrder());
            assertEquals(1, finished.info().records());
        }
        assertNotNull(values.tryRead(moved.segment(), moved.offset(), key(1), null), "it is mapped");
        check(moved, 1);
        check(growing, 0);
        try (NewSegment given = values.newSegment()) {
            given.append(Slice.of(key(2)), 3, Slice.of(value(2)));
        }
        assertEquals(List.of(ValueSegment.fileName(moved.segment())), disk.list(LoneTable.DIRECTORY));
        values.release(moved.segment());
        assertEquals(List.of(), disk.list(LoneTable.DIRECTORY));
        values.close();
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

    /** The error says that the disk is full. The file that could not be deleted is used when there is room. */
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
