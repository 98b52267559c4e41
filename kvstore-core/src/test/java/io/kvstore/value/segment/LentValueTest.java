package io.kvstore.value.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Epochs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class LentValueTest {

    private static final long SEED = 77;
    private static final long LSN = 9;
    private static final int OFFSET = 100;

    private final byte[] key = {1, 2, 3};
    private final Epochs epochs = new Epochs();
    private final ReadBuffers buffers = new ReadBuffers();
    private final ValueRecords records = new ValueRecords("t/1.val", SEED);
    private final ValuePointer place = new ValuePointer(1, OFFSET, 0);

    /** A log that is behind. */
    private final class Behind implements DurabilityBarrier {

        private final List<Long> waits = new ArrayList<>();

        @Override
        public void beforeAnswer(long lsn) {
            assertTrue(epochs.users().isQuiescent(), "the epoch was left before the wait");
            waits.add(lsn);
        }

        @Override
        public boolean isPassed(long lsn) {
            return lsn < LSN;
        }

        @Override
        public void beforeCommitPoint(long lsn) {
            throw new AssertionError("a read makes none");
        }
    }

    private static byte[] value(int length) {
        byte[] value = new byte[length];
        new SplittableRandom(length).nextBytes(value);
        return value;
    }

    private MemorySegment memory(byte[] value) {
        return memory(key, value);
    }

    private static MemorySegment memory(byte[] ofKey, byte[] value) {
        RecordEncoder encoder = new RecordEncoder();
        encoder.set(Slice.of(ofKey), LSN, Slice.of(value));
        byte[] file = new byte[OFFSET + (int) ValueSegmentFormat.recordBytes(ofKey.length, value.length)];
        encoder.write(file, OFFSET, SEED, OFFSET);
        MemorySegment memory = Arena.ofAuto().allocate(file.length);
        return memory.copyFrom(MemorySegment.ofArray(file));
    }

    private LentValue lent(byte[] value) {
        LentValue lent = new LentValue(key);
        int ticket = epochs.users().enter();
        assertTrue(lent.take(memory(value), place, records, buffers));
        lent.hold(epochs.users(), ticket);
        return lent;
    }

    @Test
    void values_that_are_checked_in_parts() {
        for (int length : new int[] {0, 1, 16_360, 16_361, 16_362, 100_000}) {
            byte[] value = value(length);
            try (LentValue lent = lent(value)) {
                assertEquals(length, lent.length());
                assertEquals(LSN, lent.lsn());
                byte[] shown = lent.pass(LentValue.ELSEWHERE, LSN, null, buffer -> {
                    assertNotNull(buffer);
                    assertTrue(buffer.isDirect());
                    assertFalse(epochs.users().isQuiescent());
                    byte[] copy = new byte[buffer.remaining()];
                    buffer.get(copy);
                    return copy;
                });
                assertArrayEquals(value, shown);
                assertTrue(epochs.users().isQuiescent());
            }
        }
    }

    /** The head and the key of the longest ones fill a buffer of 64 KiB. */
    @Test
    void values_of_keys_of_every_length() {
        byte[] value = value(10_000);
        for (int length : new int[] {0, 1_000, 16_364, 65_515, 65_516, 65_517, KeyOrder.MAX_KEY_BYTES}) {
            byte[] ofLength = new byte[length];
            try (LentValue lent = new LentValue(ofLength)) {
                MemorySegment memory = memory(ofLength, value);
                assertTrue(lent.take(memory, place, records, new ReadBuffers()), "a key of " + length + " bytes");
                assertEquals(value.length, lent.length());
            }
        }
    }

    @Test
    void an_unsound_byte_anywhere_lends_nothing() {
        MemorySegment memory = memory(value(50_000));
        int end = (int) memory.byteSize();
        for (int at = OFFSET; at < end; at = at < OFFSET + 40 ? at + 1 : at + 997) {
            byte before = memory.get(ValueLayout.JAVA_BYTE, at);
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ 1));
            assertFalse(new LentValue(key).take(memory, place, records, buffers), "byte " + at);
            memory.set(ValueLayout.JAVA_BYTE, at, before);
        }
        assertTrue(new LentValue(key).take(memory, place, records, buffers));
        assertFalse(new LentValue(new byte[] {1, 2, 4}).take(memory, place, records, buffers), "another key");
        assertFalse(new LentValue(key).take(memory.asSlice(0, end - 1), place, records, buffers), "cut off");
        assertFalse(new LentValue(key).take(memory.asSlice(0, OFFSET + 22), place, records, buffers), "cut off");
    }

    @Test
    void an_answer_that_has_to_wait_is_a_copy() {
        byte[] value = value(5_000);
        Behind barrier = new Behind();
        boolean isDirect = lent(value).pass(LentValue.ELSEWHERE, LSN, barrier, buffer -> {
            assertEquals(List.of(LSN), barrier.waits);
            assertEquals(ByteBuffer.wrap(value), buffer);
            assertNotNull(buffer);
            assertTrue(buffer.isReadOnly());
            return buffer.isDirect();
        });
        assertFalse(isDirect);
        boolean needsNoCopy =
                lent(value).pass(LentValue.ELSEWHERE, LSN - 1, barrier, buffer -> buffer != null && buffer.isDirect());
        assertTrue(needsNoCopy, "it need not wait");
        assertEquals(List.of(LSN), barrier.waits);
    }

    @Test
    void a_reader_that_throws_gives_the_value_back() {
        LentValue lent = lent(value(5_000));
        assertThrows(
                StackOverflowError.class,
                () -> lent.pass(LentValue.ELSEWHERE, LSN, null, buffer -> {
                    throw new StackOverflowError();
                }));
        assertTrue(epochs.users().isQuiescent());
    }

    /** Only what is retired from users waits for them. */
    @Test
    void readers_of_users_hold_nothing_else() {
        int ticket = epochs.users().enter();
        List<String> done = new ArrayList<>();
        epochs.retire(() -> done.add("other"));
        epochs.retireFromUsers(() -> done.add("mapping"));
        epochs.reclaim();
        assertEquals(List.of("other"), done);
        assertEquals(1, epochs.pending());
        epochs.users().exit(ticket);
        epochs.reclaim();
        assertEquals(List.of("other", "mapping"), done);
        int reader = epochs.enter();
        epochs.retireFromUsers(() -> done.add("again"));
        epochs.reclaim();
        assertEquals(2, done.size());
        epochs.exit(reader);
        epochs.reclaim();
        epochs.reclaim();
        assertEquals(3, done.size());
    }
}
