package io.kvstore.server.http.message;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.ProblemCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bodies and lines that arrive in parts of any size. */
final class PiecesTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int BYTES = 1 << 20;

    /** The pieces of a body, and the whole of it. */
    private static final int MOST_TIMES = 4;

    @Test
    void parts_of_any_size_become_the_same_bytes() throws Exception {
        Random random = new Random(1);
        for (int round = 0; round < 500; round++) {
            Pieces pieces = new Pieces();
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            for (int parts = random.nextInt(20); parts > 0; parts--) {
                byte[] part = new byte[random.nextInt(4) == 0 ? random.nextInt(3_000) : random.nextInt(4)];
                random.nextBytes(part);
                expected.writeBytes(part);
                pieces.add(ByteBuffer.wrap(part));
            }
            assertEquals(expected.size(), pieces.size());
            assertArrayEquals(expected.toByteArray(), pieces.stream().readAllBytes());
            assertArrayEquals(expected.toByteArray(), pieces.toByteArray());
            pieces.clear();
            assertEquals(0, pieces.stream().readAllBytes().length);
        }
    }

    @Test
    void a_body_of_single_bytes_takes_little_more_than_its_bytes() {
        ByteBudget budget = new ByteBudget(1L << 30);
        ByteBuffer one = ByteBuffer.wrap(new byte[] {7});
        try (Body body = new Body(budget.claim(ProblemCode.TOO_LARGE))) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < BYTES; i++) {
                body.add(one.rewind());
            }
            assertTrue(budget.usedBytes() >= BYTES && budget.usedBytes() < 2 * BYTES, () -> budget.usedBytes() + "");
            assertEquals(BYTES, body.toByteArray().length);
            requireBounded(before);
        }
        assertEquals(0, budget.usedBytes());
    }

    @Test
    void a_line_of_single_bytes_takes_little_more_than_its_bytes() throws Exception {
        ByteBudget budget = new ByteBudget(1L << 30);
        try (LineReader lines = new LineReader(new SingleBytes(), budget.claim(ProblemCode.TOO_LARGE))) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            assertTrue(lines.next());
            byte[] piece = new byte[8_192];
            int read = 0;
            try (InputStream line = lines.stream()) {
                for (int count = line.read(piece); count >= 0; count = line.read(piece)) {
                    read += count;
                }
            }
            assertEquals(BYTES, read);
            requireBounded(before);
            assertFalse(lines.isBlank());
            assertFalse(lines.next());
        }
    }

    private static void requireBounded(long before) {
        long taken = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertTrue(taken < (long) MOST_TIMES * BYTES, () -> taken + " bytes of memory for " + BYTES);
    }

    /** A line that arrives byte by byte. */
    private static final class SingleBytes extends InputStream {

        private int left = BYTES;

        @Override
        public int read() {
            return left-- > 0 ? 'x' : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int next = read();
            if (next < 0) {
                return -1;
            }
            into[offset] = (byte) next;
            return 1;
        }
    }
}
