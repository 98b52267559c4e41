package io.kvstore.value;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.kvstore.data.Mutation;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values are added when their operation is in the log: what that needs was reserved before, whatever begins and ends there. */
final class AddedValuesTest {

    private static final int SEGMENT_BYTES = 256 << 10;
    private static final int OPERATIONS = 1_600;

    /** What a thread may take without any doing of the values. */
    private static final long LEAST_BYTES = 512;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final SimStorage disk = new SimStorage();
    private final MemoryBudget memory = new MemoryBudget(64 << 20, 64 << 20);
    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final AtomicLong numbers = new AtomicLong(1);
    private final SplittableRandom random = new SplittableRandom(3);
    private ValueLog values;
    private long takenBytes;

    @BeforeEach
    void open() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        values = new ValueLog(LoneTable.on(disk, memory, clock, background), SEGMENT_BYTES, numbers::getAndIncrement);
    }

    @AfterEach
    void close() throws IOException {
        values.close();
        assertEquals(memory.writeBlocks().keptBytes(), memory.usedBytes());
    }

    private List<Mutation> operation(int mostBytes) {
        List<Mutation> mutations = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            byte[] key = ByteBuffer.allocate(4 + random.nextInt(300))
                    .putInt(random.nextInt())
                    .array();
            byte[] value = new byte[random.nextInt(mostBytes)];
            random.nextBytes(value);
            mutations.add(new Mutation.Put(key, value));
        }
        return mutations;
    }

    /** Of which some may be left out: so is what an operation changes again. */
    private List<Mutation> most(List<Mutation> mutations) {
        return mutations.stream().filter(mutation -> random.nextInt(8) > 0).toList();
    }

    private void add(List<Mutation> reserved, List<Mutation> mutations, List<ValuePointer> pointers) {
        long[] offsets = new long[mutations.size()];
        long[] segments = new long[mutations.size()];
        values.reserve(reserved, 0);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < offsets.length; i++) {
            Mutation.Put put = (Mutation.Put) mutations.get(i);
            offsets[i] = values.add(put.key(), 1, put.value());
            segments[i] = values.addedTo();
        }
        takenBytes += THREADS.getCurrentThreadAllocatedBytes() - before;
        for (int i = 0; i < offsets.length; i++) {
            pointers.add(new ValuePointer(segments[i], offsets[i], ((Mutation.Put) mutations.get(i)).value().length));
        }
    }

    /** Few bytes, pieces of a segment, more than a segment; what nobody reads goes to blocks after a while. */
    @ParameterizedTest
    @ValueSource(ints = {1_500, 500, 20_000, 2 * SEGMENT_BYTES}) // the first one also loads the classes
    void adding_takes_nothing_of_the_heap_that_was_not_reserved(int mostBytes) throws IOException {
        for (int i = 0; i < OPERATIONS; i++) {
            if (i == OPERATIONS / 2) {
                takenBytes = 0; // what comes with the first calls is no doing of the values
            }
            List<Mutation> reserved = operation(Math.max(1, i % 4 == 3 ? mostBytes : mostBytes / 100));
            List<Mutation> mutations = most(reserved);
            List<ValuePointer> pointers = new ArrayList<>();
            add(reserved, mutations, pointers);
            if (i % 500 == 0) {
                for (int j = 0; j < pointers.size(); j++) {
                    Mutation.Put put = (Mutation.Put) mutations.get(j);
                    assertArrayEquals(put.value(), values.read(pointers.get(j), put.key()));
                }
            }
            if (i % 10 == 0) {
                values.write();
            }
            if (i % 300 == 0) {
                values.seal();
            }
            if (i % 600 == 0) {
                values.rest();
            }
            background.runAll();
            deleteOld();
        }
        assertTrue(takenBytes <= LEAST_BYTES, takenBytes + " bytes were taken by " + OPERATIONS / 2 + " operations");
        assertTrue(mostBytes < SEGMENT_BYTES || values.uncachedBytes() > 0, "nothing went past the cache");
    }

    private void deleteOld() {
        for (long number = numbers.get() - 50; number > 0 && values.segment(number) != null; number--) {
            values.release(number);
        }
    }
}
