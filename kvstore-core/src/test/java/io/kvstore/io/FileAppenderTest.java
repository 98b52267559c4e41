package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class FileAppenderTest {

    private static final int PIECE = FileAppender.PIECE_BYTES;

    /** How long the file was after each write; a write that is to fail is counted before. */
    private final List<Long> ends = new ArrayList<>();

    private int writesBeforeFull = Integer.MAX_VALUE;
    private final SimStorage disk = new SimStorage();
    private final StorageFile file;

    FileAppenderTest() throws IOException {
        StorageFile inner = disk.create("f");
        this.file = HookedStorage.over(disk, (name, path, proceed) -> {
                    if (name.equals("write") && ends.size() == writesBeforeFull) {
                        throw new NoSpaceException("no space for f");
                    }
                    Object result = proceed.call();
                    if (name.equals("write")) {
                        ends.add(inner.size());
                    }
                    return result;
                })
                .open("f");
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(length).nextBytes(bytes);
        return bytes;
    }

    private byte[] content(long from, int length) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(length);
        file.readFully(target, from);
        return target.array();
    }

    private void check(long position, int length, Long... expectedEnds) throws IOException {
        ends.clear();
        byte[] bytes = bytes(length);
        FileAppender out = new FileAppender(file, position, length);
        out.append(bytes, length);
        out.flush();
        assertEquals(position + length, out.written());
        assertEquals(position + length, out.flushed());
        assertEquals(List.of(expectedEnds), ends);
        assertArrayEquals(bytes, content(position, length));
        file.truncate(0);
    }

    @Test
    void writes_end_where_pieces_end() throws IOException {
        check(0, 1, 1L);
        check(0, PIECE - 1, PIECE - 1L);
        check(0, PIECE, (long) PIECE);
        check(0, PIECE + 1, (long) PIECE, PIECE + 1L);
        check(PIECE - 1, 1, (long) PIECE);
        check(PIECE - 1, 2, (long) PIECE, PIECE + 1L);
        check(PIECE - 1, PIECE + 2, (long) PIECE, 2L * PIECE, 2L * PIECE + 1);
        check(100, 3 * PIECE - 100, (long) PIECE, 2L * PIECE, 3L * PIECE);
    }

    @Test
    void what_is_added_bit_by_bit_is_the_same() throws IOException {
        byte[] bytes = bytes(12 * PIECE);
        SplittableRandom random = new SplittableRandom(7);
        FileAppender out = new FileAppender(file);
        for (int at = 0; at < bytes.length; ) {
            int part = Math.min(bytes.length - at, random.nextInt(100_000));
            out.append(ByteBuffer.wrap(bytes, at, part));
            at += part;
            if (random.nextInt(10) == 0) {
                out.flush();
                assertEquals(at, out.flushed());
            }
        }
        out.flush();
        assertArrayEquals(bytes, content(0, bytes.length));
        for (int end = PIECE; end <= bytes.length; end += PIECE) {
            assertTrue(ends.contains((long) end), "a piece ends at " + end + ", not only at " + ends);
        }
    }

    @Test
    void what_a_full_disk_took_is_known() throws IOException {
        writesBeforeFull = 2;
        byte[] bytes = bytes(4 * PIECE);
        FileAppender out = new FileAppender(file, 10, bytes.length);
        assertThrows(NoSpaceException.class, () -> out.append(bytes, bytes.length));
        assertEquals(2L * PIECE, out.flushed());
        assertArrayEquals(Arrays.copyOf(bytes, 2 * PIECE - 10), content(10, 2 * PIECE - 10));
    }
}
