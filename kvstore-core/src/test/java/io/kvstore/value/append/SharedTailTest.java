package io.kvstore.value.append;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.memory.MemoryBudget;
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
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many tables with a few values each that wait for the disk, which nobody would write for long. */
final class SharedTailTest {

    private static final int VALUE_BYTES = 1_000;
    private static final int EACH = 7;

    private final SimStorage disk = new SimStorage();
    private final MemoryBudget memory = new MemoryBudget(1 << 20);
    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    @Test
    void what_waits_in_tables_that_rest_is_written_for_others() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        AtomicLong numbers = new AtomicLong(1);
        List<ValueLog> tables = new ArrayList<>();
        List<ValuePointer> pointers = new ArrayList<>();
        for (int table = 0; table < 400; table++) {
            ValueLog values =
                    new ValueLog(LoneTable.on(disk, memory, clock, background), 1 << 20, numbers::getAndIncrement);
            tables.add(values);
            for (int i = 0; i < EACH; i++) {
                values.admit();
                values.reserve(List.of(new Mutation.Put(key(i), new byte[VALUE_BYTES])), 0);
                long offset = values.add(key(i), table + 1, new byte[VALUE_BYTES]);
                pointers.add(new ValuePointer(values.addedTo(), offset, VALUE_BYTES));
                assertTrue(
                        memory.usedBytes() <= memory.totalBytes() * 11 / 10,
                        memory.usedByUse().toString());
            }
        }
        for (int i = 0; i < pointers.size(); i++) {
            byte[] value = tables.get(i / EACH).read(pointers.get(i), key(i % EACH));
            assertArrayEquals(new byte[VALUE_BYTES], value);
        }
        for (ValueLog values : tables) {
            values.close();
        }
        assertEquals(0, memory.usedBytes());
    }
}
