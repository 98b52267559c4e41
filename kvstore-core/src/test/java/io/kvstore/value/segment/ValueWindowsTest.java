package io.kvstore.value.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ValueWindowsTest {

    private static final int SEGMENT_BYTES = 256 << 10;
    private static final int RECORD_BYTES = 500;
    private static final int HEADER_BYTES = 64;
    private static final int MANY = 256;

    private final Random random = new Random(1);
    private final byte[] content = content();

    private byte[] content() {
        byte[] result = new byte[SEGMENT_BYTES];
        random.nextBytes(result);
        return result;
    }

    /** What is read of a segment that has all of its memory. */
    private static byte[] read(ValueWindows windows, MemorySegment memory, ValuePointer pointer, int length) {
        int place = windows.place(memory, memory.byteSize(), pointer, length);
        return Arrays.copyOfRange(windows.array(), place, place + length);
    }

    private static ValuePointer at(int offset) {
        return new ValuePointer(1, offset, 1);
    }

    private byte[] expected(int at, int length) {
        return Arrays.copyOfRange(content, at, at + length);
    }

    private byte[] read(ValueWindows windows, int at) {
        return read(windows, MemorySegment.ofArray(content), at(at), RECORD_BYTES);
    }

    /** Reads so many records one behind the other; returns where the next one is. */
    private int readInOrder(ValueWindows windows, int records) {
        int at = HEADER_BYTES;
        for (int i = 0; i < records; i++) {
            assertArrayEquals(expected(at, RECORD_BYTES), read(windows, at));
            at += RECORD_BYTES;
        }
        return at;
    }

    /** Whether a record is there already, before it is asked for. */
    private boolean isCopied(ValueWindows windows, int at) {
        content[at]++;
        return !Arrays.equals(expected(at, RECORD_BYTES), read(windows, at));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8, 9, 20})
    void a_record_is_what_is_in_its_segment_whatever_the_order(int segments) {
        ValueWindows windows = new ValueWindows(Long.MAX_VALUE);
        int[] at = new int[segments];
        int most = SEGMENT_BYTES - segments * HEADER_BYTES;
        for (int i = 0; i < 20_000; i++) {
            int segment = random.nextInt(segments);
            int length = 1 + random.nextInt(i % 100 == 0 ? ValueWindows.LONGEST_RECORD_BYTES : 200);
            int step = switch (random.nextInt(40)) {
                case 0 -> random.nextInt(SEGMENT_BYTES);
                case 1 -> random.nextInt(3_000);
                case 2 -> -random.nextInt(3_000);
                default -> i / 1_000 % 2 == 0 ? random.nextInt(100) : -random.nextInt(250);
            };
            at[segment] = Math.floorMod(at[segment] + step, most - length);
            int shift = segment * HEADER_BYTES; // so that no two segments are alike
            MemorySegment memory = MemorySegment.ofArray(content).asSlice(shift, most);
            assertArrayEquals(
                    expected(shift + at[segment], length),
                    read(windows, memory, new ValuePointer(segment, at[segment], 1), length));
            at[segment] += i / 1_000 % 2 == 0 ? length : 0;
        }
    }

    @Test
    void what_follows_is_copied_along_after_nine_records_in_order() {
        assertEquals(false, isCopied(windowsAfter(9), HEADER_BYTES + 9 * RECORD_BYTES));
        assertEquals(true, isCopied(windowsAfter(10), HEADER_BYTES + 10 * RECORD_BYTES));
    }

    private ValueWindows windowsAfter(int records) {
        ValueWindows windows = new ValueWindows(Long.MAX_VALUE);
        readInOrder(windows, records);
        return windows;
    }

    @ParameterizedTest
    @CsvSource({"255, false", "256, true", "257, true"})
    void nothing_is_copied_along_for_a_few_entries(long mostEntries, boolean isCopied) {
        ValueWindows windows = new ValueWindows(mostEntries);
        int next = readInOrder(windows, 20);
        assertEquals(isCopied, isCopied(windows, next) || isCopied(windows, next + RECORD_BYTES));
    }

    @Test
    void what_is_not_complete_is_read_later() {
        MemorySegment memory = MemorySegment.ofArray(content);
        ValueWindows windows = new ValueWindows(Long.MAX_VALUE);
        int complete = HEADER_BYTES + 40 * RECORD_BYTES;
        int at = HEADER_BYTES;
        while (at + RECORD_BYTES <= complete) {
            windows.place(memory, complete, at(at), RECORD_BYTES);
            at += RECORD_BYTES;
        }
        random.nextBytes(content);
        assertArrayEquals(expected(at, RECORD_BYTES), read(windows, memory, at(at), RECORD_BYTES));
    }

    @Test
    void records_far_from_each_other_are_copied_alone() {
        ValueWindows windows = windowsAfter(20);
        int at = HEADER_BYTES + 100 * RECORD_BYTES;
        read(windows, at);
        assertEquals(false, isCopied(windows, at + RECORD_BYTES));
    }

    @ParameterizedTest
    @CsvSource({"1023, true", "1024, true", "1025, false"})
    void records_with_a_larger_gap_are_copied_alone(int gap, boolean isCopied) {
        ValueWindows windows = new ValueWindows(MANY);
        int at = HEADER_BYTES;
        for (int i = 0; i < 11; i++) {
            read(windows, at);
            at += RECORD_BYTES + gap;
        }
        int behind = at - gap; // in the window of the last one, if that has more
        assertEquals(isCopied, !windows.isAlone());
        assertEquals(isCopied, isCopied(windows, behind));
    }

    @Test
    void a_part_that_cannot_be_read_is_of_no_matter_unless_it_is_asked_for(@TempDir Path directory) throws IOException {
        int readable = 16 << 10;
        try (Arena arena = Arena.ofShared();
                FileChannel file = FileChannel.open(
                        directory.resolve("segment"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            file.write(MemorySegment.ofArray(content).asByteBuffer());
            MemorySegment memory = file.map(FileChannel.MapMode.READ_ONLY, 0, SEGMENT_BYTES, arena);
            file.truncate(readable);
            ValueWindows windows = new ValueWindows(Long.MAX_VALUE);
            int at = 0;
            while (at + RECORD_BYTES <= readable) {
                assertArrayEquals(expected(at, RECORD_BYTES), read(windows, memory, at(at), RECORD_BYTES));
                at += RECORD_BYTES;
            }
            int lost = 20 << 10;
            assertThrows(InternalError.class, () -> read(windows, memory, at(lost), RECORD_BYTES));
            assertArrayEquals(
                    expected(HEADER_BYTES, RECORD_BYTES), read(windows, memory, at(HEADER_BYTES), RECORD_BYTES));
        }
    }

    @Test
    void records_are_copied_along_backwards_as_well() {
        ValueWindows windows = new ValueWindows(MANY);
        int at = HEADER_BYTES + 100 * RECORD_BYTES;
        for (int i = 0; i < 10; i++) { // the last one with the one in front of it
            at -= RECORD_BYTES;
            assertArrayEquals(expected(at, RECORD_BYTES), read(windows, at));
        }
        assertEquals(true, isCopied(windows, at - RECORD_BYTES));
    }
}
