package io.kvstore.wal.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A segment that gathers its records in memory, where there is little of it. */
final class StagedSegmentTest {

    private static final String PATH = "segment";
    private static final int CAPACITY = 16 << 20;
    private static final int BURST_BYTES = 3 << 20;

    private final SimStorage disk = new SimStorage();
    private int left = Integer.MAX_VALUE;
    private int open;

    /** Memory for so many more allocations as are left. */
    private final class Scarce implements Arena {

        private final Arena inner = Arena.ofShared();

        Scarce() {
            open++;
        }

        @Override
        public MemorySegment allocate(long bytes, long alignment) {
            if (left == 0) {
                throw new OutOfMemoryError("for the test");
            }
            left--;
            return inner.allocate(bytes, alignment);
        }

        @Override
        public MemorySegment.Scope scope() {
            return inner.scope();
        }

        @Override
        public void close() {
            open--;
            inner.close();
        }
    }

    private StagedSegment segment() throws IOException {
        return new StagedSegment(1, disk.create(PATH), CAPACITY, Scarce::new);
    }

    private static byte[] burst(int seed) {
        byte[] bytes = new byte[BURST_BYTES];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void land(StagedSegment segment, byte[] bytes, long offset) throws IOException {
        segment.put(bytes, 0, bytes.length, offset);
        segment.capture(offset + bytes.length);
        segment.land();
    }

    /** What was written is not lost for want of memory for the next, smaller buffer: the log would fail for good. */
    @Test
    void a_buffer_that_cannot_shrink_stays_as_it_is() throws IOException {
        byte[] first = burst(1);
        byte[] second = burst(2);
        try (StagedSegment segment = segment()) {
            segment.reserve(BURST_BYTES);
            left = 0;
            land(segment, first, 0);
            left = Integer.MAX_VALUE;
            segment.reserve(BURST_BYTES);
            left = 0;
            land(segment, second, BURST_BYTES);
            segment.reserve(BURST_BYTES);
            left = Integer.MAX_VALUE;
            land(segment, first, 2L * BURST_BYTES);
            segment.sync();
        }
        byte[] file = disk.bytes(PATH);
        assertArrayEquals(first, Arrays.copyOfRange(file, 0, BURST_BYTES));
        assertArrayEquals(second, Arrays.copyOfRange(file, BURST_BYTES, 2 * BURST_BYTES));
        assertArrayEquals(first, Arrays.copyOfRange(file, 2 * BURST_BYTES, 3 * BURST_BYTES));
        assertEquals(0, disk.openResources());
        assertEquals(0, open);
    }

    @Test
    void a_segment_that_cannot_be_made_keeps_no_memory() {
        left = 1;
        assertThrows(OutOfMemoryError.class, this::segment);
        assertEquals(0, open);
    }
}
