package io.kvstore.value;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.io.Storage;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;

/** A value log with segments of 1 MiB on a simulated disk, and values of which ten fit into a segment. */
abstract class ValueLogFixture {

    static final int VALUE_BYTES = 100_000;

    final SimStorage disk = new SimStorage();
    final FaultyStorage faulty = new FaultyStorage(disk);
    final MemoryBudget memory = new MemoryBudget(64 << 20, mappableBytes());
    final StepClock clock = new StepClock();
    final StepBackground background = new StepBackground(clock);
    final AtomicLong numbers = new AtomicLong(1);
    final ValueLog values = on(faulty);

    /** Half of it is put through the system's cache in a load of large values. */
    long mappableBytes() {
        return 64 << 20;
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.syncDirectory("");
    }

    ValueLog on(Storage storage) {
        return new ValueLog(LoneTable.on(storage, memory, clock, background), 1 << 20, numbers::getAndIncrement);
    }

    static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    static byte[] value(int number) {
        byte[] value = new byte[VALUE_BYTES];
        value[0] = (byte) number;
        value[VALUE_BYTES - 1] = (byte) (number >> 8);
        return value;
    }

    ValuePointer append(int number) {
        return append(values, number);
    }

    static StoredSegment segment(ValueLog of, long number) {
        return requireNonNull(of.segment(number));
    }

    static ValuePointer append(ValueLog to, int number) {
        to.reserve(List.of(new Mutation.Put(key(number), value(number))), 0);
        long offset = to.add(key(number), number + 1, value(number));
        return new ValuePointer(to.addedTo(), offset, VALUE_BYTES);
    }

    void check(ValuePointer pointer, int number) throws IOException {
        assertArrayEquals(value(number), values.read(pointer, key(number)));
        StoredValue found = values.tryRead(pointer.segment(), pointer.offset(), key(number), null);
        if (found != null) {
            assertArrayEquals(value(number), found.value());
            assertEquals(number + 1, found.lsn());
        }
        assertNull(values.tryRead(pointer.segment(), pointer.offset(), key(number + 1), null));
    }

    /** But for blocks, which are kept. */
    void checkMemoryIsFree() {
        assertEquals(memory.writeBlocks().keptBytes(), memory.usedBytes());
    }

    static void appendTo(ValueLog to, List<ValuePointer> pointers, int end) {
        while (pointers.size() < end) {
            pointers.add(append(to, pointers.size()));
        }
    }

    static void checkAll(ValueLog from, List<ValuePointer> pointers) throws IOException {
        for (int number = 0; number < pointers.size(); number++) {
            ValuePointer pointer = pointers.get(number);
            assertArrayEquals(value(number), from.read(pointer, key(number)));
            StoredValue found = from.tryRead(pointer.segment(), pointer.offset(), key(number), null);
            assertTrue(found == null || Arrays.equals(value(number), found.value()));
            assertNull(from.tryRead(pointer.segment(), pointer.offset(), key(number + 1), null));
        }
    }

    /** Each one in a segment of its own. */
    static List<ValuePointer> writeSingly(ValueLog to, int from, int end) throws IOException {
        List<ValuePointer> pointers = new ArrayList<>();
        for (int number = from; number < end; number++) {
            pointers.add(append(to, number));
            to.seal();
            to.rest();
            to.write();
        }
        return pointers;
    }
}
