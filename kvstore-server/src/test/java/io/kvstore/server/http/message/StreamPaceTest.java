package io.kvstore.server.http.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.xnio.channels.ReadTimeoutException;

/** A pace of 1 byte a millisecond, and clients that may be 100 ms behind. */
final class StreamPaceTest {

    private long millis;
    private int tooSlow;

    private final StreamPace pace =
            new StreamPace(100, 1_000, () -> TimeUnit.MILLISECONDS.toNanos(millis), () -> tooSlow++);

    /** A body of which one byte comes at a time. */
    private InputStream body(int millisPerByte) {
        return pace.of(new Arrays() {
            @Override
            public int read(byte[] bytes, int offset, int length) {
                millis += millisPerByte;
                return 1;
            }
        });
    }

    /** An answer that a client takes. */
    private OutputStream answer(int millisPerWrite) {
        return pace.of(new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("arrays are written");
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                millis += millisPerWrite;
            }
        });
    }

    @Test
    void a_body_at_its_pace_has_no_end() throws Exception {
        InputStream in = body(1);
        for (int i = 0; i < 10_000; i++) {
            assertEquals(0, in.read());
        }
        assertEquals(0, tooSlow);
    }

    @Test
    void a_body_that_falls_behind_ends() throws Exception {
        InputStream in = body(11);
        for (int i = 0; i < 10; i++) {
            assertEquals(0, in.read()); // ten milliseconds behind with each byte
        }
        assertThrows(StreamPace.TooSlowException.class, in::read);
        assertEquals(1, tooSlow);
    }

    @Test
    void time_in_which_nobody_waits_for_the_client_does_not_count() throws Exception {
        InputStream in = body(1);
        OutputStream out = answer(1);
        for (int i = 0; i < 10; i++) {
            millis += 1_000;
            assertEquals(0, in.read());
            millis += 1_000;
            out.write(1);
        }
        assertEquals(0, tooSlow);
    }

    @Test
    void a_client_that_was_fast_has_no_credit() throws Exception {
        OutputStream fast = answer(0);
        fast.write(new byte[1 << 20]);
        millis = 0;
        OutputStream out = pace.of(new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("arrays are written");
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                millis += length == 1 ? 102 : 0;
            }
        });
        out.write(new byte[1 << 20]);
        assertThrows(StreamPace.TooSlowException.class, () -> out.write(1));
        assertEquals(1, tooSlow);
    }

    @Test
    void a_long_write_is_looked_at_in_parts() {
        OutputStream out = answer(PacedOutput.PART_BYTES + 101);
        assertThrows(StreamPace.TooSlowException.class, () -> out.write(new byte[10 * PacedOutput.PART_BYTES]));
        assertEquals(PacedOutput.PART_BYTES + 101, millis);
    }

    @Test
    void waiting_for_what_was_written_before_counts() {
        OutputStream out = pace.of(new OutputStream() {
            @Override
            public void write(int b) {}

            @Override
            public void flush() {
                millis += 101;
            }
        });
        assertThrows(StreamPace.TooSlowException.class, out::flush);
    }

    /** The connection was closed under it, because nothing went. */
    @Test
    void a_write_that_fails_after_too_long_is_of_a_slow_client() {
        IOException closed = new IOException("closed");
        int[] waits = {99, 2};
        int[] wait = {0};
        OutputStream out = pace.of(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                millis += waits[wait[0]++];
                throw closed;
            }
        });
        assertSame(closed, assertThrows(IOException.class, () -> out.write(1)));
        assertEquals(0, tooSlow);
        assertSame(
                closed,
                assertThrows(StreamPace.TooSlowException.class, () -> out.write(1))
                        .getCause());
        assertEquals(1, tooSlow);
    }

    @Test
    void waiting_for_the_end_counts_when_it_fails() {
        OutputStream out = pace.of(new OutputStream() {
            @Override
            public void write(int b) {}

            @Override
            public void close() throws IOException {
                millis += 101;
                throw new IOException("closed");
            }
        });
        assertThrows(StreamPace.TooSlowException.class, out::close);
        assertEquals(1, tooSlow);
    }

    /** A body that is read in arrays. */
    private abstract static class Arrays extends InputStream {
        @Override
        public int read() {
            throw new AssertionError("arrays are read");
        }

        @Override
        public abstract int read(byte[] bytes, int offset, int length) throws IOException;
    }

    @Test
    void a_client_that_sends_nothing_is_too_slow() {
        InputStream in = pace.of(new Arrays() {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                throw new ReadTimeoutException("nothing has come");
            }
        });
        assertThrows(StreamPace.TooSlowException.class, in::read);
        assertEquals(1, tooSlow);
    }

    @Test
    void the_end_of_a_body_is_not_too_late() throws Exception {
        InputStream in = pace.of(new Arrays() {
            @Override
            public int read(byte[] bytes, int offset, int length) {
                millis += 1_000;
                return -1;
            }
        });
        assertEquals(-1, in.read());
        assertEquals(0, tooSlow);
    }
}
