package io.kvstore.value.append;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.io.Storage;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.ValueLog;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SegmentMappingsTest {

    private static final int VALUE_BYTES = 100_000;

    private final SimStorage disk = new SimStorage();
    private final MemoryBudget memory = new MemoryBudget(64 << 20, 64 << 20); // loads go past the cache from 32 MiB on
    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final AtomicLong numbers = new AtomicLong(1);

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] value(int number) {
        return ByteBuffer.allocate(VALUE_BYTES).putInt(VALUE_BYTES - 4, number).array();
    }

    private static ValuePointer append(ValueLog to, int number) {
        to.reserve(List.of(new Mutation.Put(key(number), value(number))), 0);
        long offset = to.add(key(number), number + 1, value(number));
        return new ValuePointer(to.addedTo(), offset, value(number).length);
    }

    private static void checkAll(ValueLog from, List<ValuePointer> pointers) throws IOException {
        for (int number = 0; number < pointers.size(); number++) {
            assertArrayEquals(value(number), from.read(pointers.get(number), key(number)));
        }
    }

    /** What takes the place of a mapping interrupts 200 writers. A segment has 167 values here, of which 20 may be unmapped. */
    @Test
    void what_nobody_reads_is_mapped_when_somebody_does() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.syncDirectory("");
        List<String> mapped = new ArrayList<>();
        Storage storage = HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("mapReadOnly")) {
                mapped.add(path);
            }
            return proceed.call();
        });
        ValueLog watched =
                new ValueLog(LoneTable.on(storage, memory, clock, background), 16 << 20, numbers::getAndIncrement);
        List<ValuePointer> pointers = writeEach(watched, 0, 168);
        int whileRead = mapped.size();
        assertTrue(whileRead > 4 && whileRead < 12, whileRead + " times");
        pointers.addAll(writeEach(watched, 168, 430));
        assertEquals(whileRead, mapped.size(), "nobody reads");
        ValuePointer sealed = pointers.get(200);
        ValuePointer growing = pointers.get(340);
        assertEquals(List.of(2L, 3L), List.of(sealed.segment(), growing.segment()));
        assertNull(watched.tryRead(sealed.segment(), sealed.offset(), key(200), null));
        for (int i = 0; i < 3; i++) {
            assertArrayEquals(value(200), watched.read(sealed, key(200)));
            assertArrayEquals(value(340), watched.read(growing, key(340)));
        }
        assertEquals(1, background.queued());
        assertEquals(whileRead, mapped.size(), "readers do not wait for it");
        background.runAll();
        assertEquals(whileRead + 2, mapped.size());
        checkAll(watched, pointers);
        assertNotNull(watched.tryRead(sealed.segment(), sealed.offset(), key(200), null));
        assertNotNull(watched.tryRead(growing.segment(), growing.offset(), key(340), null));
        background.runAll();
        assertEquals(whileRead + 2, mapped.size(), "all that is in files is mapped");
        pointers.addAll(writeEach(watched, 430, 480));
        assertEquals(whileRead + 2, mapped.size(), "nobody reads");
        assertArrayEquals(value(470), watched.read(pointers.get(470), key(470)));
        background.runAll();
        assertEquals(whileRead + 3, mapped.size(), "there was more");
        pointers.addAll(writeEach(watched, 480, 510));
        assertEquals(whileRead + 4, mapped.size(), "somebody did, so no part of the third one is left");
        watched.noteRead();
        pointers.addAll(writeEach(watched, 510, 575));
        int again = mapped.size();
        checkAll(watched, pointers);
        background.runAll();
        assertEquals(again, mapped.size(), "a part of a segment may be read by position");
        watched.seal();
        watched.write();
        assertEquals(again + 1, mapped.size(), "no part of a sealed one");
        watched.close();
        assertEquals(0, disk.openResources());
    }

    @Test
    void what_was_mapped_meanwhile_or_is_not_asked_for_is_left_alone() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.syncDirectory("");
        AtomicInteger mapped = new AtomicInteger();
        Storage storage = HookedStorage.over(disk, (name, path, proceed) -> {
            mapped.addAndGet(name.equals("mapReadOnly") ? 1 : 0);
            return proceed.call();
        });
        ValueLog values =
                new ValueLog(LoneTable.on(storage, memory, clock, background), 16 << 20, numbers::getAndIncrement);
        List<ValuePointer> pointers = writeEach(values, 0, 560);
        ValuePointer growing = pointers.get(510);
        assertEquals(4, growing.segment());
        values.read(growing, key(510));
        background.runAll();
        int before = mapped.get();
        pointers.addAll(writeEach(values, 560, 610));
        values.read(pointers.get(200), key(200));
        background.runAll();
        assertEquals(before + 1, mapped.get(), "only one was asked for, though the other one grew");
        values.read(pointers.get(550), key(550));
        assertEquals(1, background.queued());
        values.noteRead();
        pointers.addAll(writeEach(values, 610, 660));
        int byWriter = mapped.get();
        assertTrue(byWriter > before + 1);
        background.runAll();
        assertEquals(byWriter, mapped.get(), "it was mapped while it was written");
        values.close();
        assertEquals(0, disk.openResources());
    }

    @Test
    void a_reader_does_not_learn_that_no_thread_was_there_to_map() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.syncDirectory("");
        ValueLog values =
                new ValueLog(LoneTable.on(disk, memory, clock, background), 16 << 20, numbers::getAndIncrement);
        List<ValuePointer> pointers = writeEach(values, 0, 400);
        ValuePointer unmapped = pointers.get(200);
        background.refuseNext();
        assertArrayEquals(value(200), values.read(unmapped, key(200)));
        assertEquals(0, background.queued());
        assertArrayEquals(value(200), values.read(unmapped, key(200)));
        assertEquals(1, background.queued(), "the next one asks again");
        background.runAll();
        assertNotNull(values.tryRead(unmapped.segment(), unmapped.offset(), key(200), null));
        values.close();
        assertEquals(0, disk.openResources());
    }

    private static List<ValuePointer> writeEach(ValueLog to, int from, int end) throws IOException {
        List<ValuePointer> pointers = new ArrayList<>();
        for (int number = from; number < end; number++) {
            pointers.add(append(to, number));
            to.write();
        }
        return pointers;
    }
}
