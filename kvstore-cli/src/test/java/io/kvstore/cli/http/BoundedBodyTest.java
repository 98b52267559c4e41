package io.kvstore.cli.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies at their limit, which say their length or do not. */
final class BoundedBodyTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 9, 16_384, 16_385, 100_000})
    void a_body_has_its_limit_and_no_more(int limit) throws IOException {
        for (int size : new int[] {0, limit - 1, limit}) {
            byte[] body = new byte[size];
            Arrays.fill(body, (byte) 1);
            assertArrayEquals(body, BoundedBody.read(new ByteArrayInputStream(body), limit, -1));
            assertArrayEquals(body, BoundedBody.read(new ByteArrayInputStream(body), limit, size));
        }
        InputStream longer = new ByteArrayInputStream(new byte[limit + 1]);
        assertThrows(BoundedBody.TooLong.class, () -> BoundedBody.read(longer, limit, -1));
    }

    @Test
    void a_body_that_says_that_it_is_too_long_is_not_read() throws IOException {
        InputStream unread = new ByteArrayInputStream(new byte[5]);
        for (long announced : new long[] {11, Long.MAX_VALUE}) {
            assertThrows(BoundedBody.TooLong.class, () -> BoundedBody.read(unread, 10, announced));
        }
        assertEquals(5, unread.available());
    }

    @Test
    void a_length_that_is_a_lie_takes_no_memory() throws IOException {
        int tooMuch = Integer.MAX_VALUE - 8;
        byte[] body = BoundedBody.read(new ByteArrayInputStream(new byte[5]), tooMuch, tooMuch);
        assertEquals(5, body.length);
    }
}
