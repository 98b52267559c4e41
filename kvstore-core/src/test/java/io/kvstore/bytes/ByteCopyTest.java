package io.kvstore.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What is asked for is copied, nothing beside it, for every length on both sides of {@link ByteCopy#FEW}. */
final class ByteCopyTest {

    private static final int ROOM = ByteCopy.FEW + 24;

    private static byte[] filled(int first) {
        byte[] bytes = new byte[ROOM];
        for (int i = 0; i < ROOM; i++) {
            bytes[i] = (byte) (first + i);
        }
        return bytes;
    }

    private static byte[] expected(byte[] source, int from, byte[] target, int at, int length) {
        byte[] result = target.clone();
        System.arraycopy(source, from, result, at, length);
        return result;
    }

    @Test
    void copies_to_a_segment() {
        byte[] source = filled(1);
        byte[] before = filled(101);
        try (Arena arena = Arena.ofConfined()) {
            for (int length = 0; length <= ByteCopy.FEW + 2; length++) {
                for (int at = 0; at < 10; at++) {
                    MemorySegment target = arena.allocateFrom(ValueLayout.JAVA_BYTE, before);
                    ByteCopy.toSegment(source, 5, target, at, length);
                    assertArrayEquals(
                            expected(source, 5, before, at, length),
                            target.toArray(ValueLayout.JAVA_BYTE),
                            length + " bytes to " + at);
                }
            }
        }
    }

    @Test
    void copies_to_an_array() {
        byte[] source = filled(1);
        byte[] before = filled(101);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_BYTE, source);
            for (int length = 0; length <= ByteCopy.FEW + 2; length++) {
                for (int from = 0; from < 10; from++) {
                    byte[] target = before.clone();
                    ByteCopy.toArray(segment, from, target, 3, length);
                    assertArrayEquals(
                            expected(source, from, before, 3, length), target, length + " bytes from " + from);
                }
            }
        }
    }

    @Test
    void fills_a_buffer_with_what_fits() {
        for (int room : new int[] {0, 1, 7, 8, 20}) {
            byte[] before = filled(101);
            ByteBuffer source =
                    ByteBuffer.allocateDirect(ROOM).put(filled(1)).position(5).limit(13);
            ByteBuffer target = ByteBuffer.wrap(before.clone(), 3, room);
            int length = Math.min(room, 8);
            assertEquals(length, ByteCopy.fill(target, source));
            assertEquals(5 + length, source.position());
            assertEquals(3 + length, target.position());
            assertArrayEquals(expected(filled(1), 5, before, 3, length), target.array());
        }
    }

    @Test
    void refuses_what_lies_outside() {
        byte[] array = new byte[ROOM];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(ROOM);
            for (int length : new int[] {1, 4, 8, ByteCopy.FEW, ByteCopy.FEW + 1}) {
                int last = ROOM - length;
                ByteCopy.toSegment(array, last, segment, last, length);
                ByteCopy.toArray(segment, last, array, last, length);
                assertThrows(
                        IndexOutOfBoundsException.class, () -> ByteCopy.toSegment(array, 0, segment, last + 1, length));
                assertThrows(
                        IndexOutOfBoundsException.class, () -> ByteCopy.toSegment(array, last + 1, segment, 0, length));
                assertThrows(
                        IndexOutOfBoundsException.class, () -> ByteCopy.toArray(segment, last + 1, array, 0, length));
                assertThrows(
                        IndexOutOfBoundsException.class, () -> ByteCopy.toArray(segment, 0, array, last + 1, length));
            }
        }
    }
}
