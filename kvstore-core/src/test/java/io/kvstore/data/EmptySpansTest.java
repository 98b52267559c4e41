package io.kvstore.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EmptySpansTest {

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    @Test
    void a_put_cuts_a_gap_in_two() {
        long[] lsn = {10};
        boolean[] isFree = {false};
        EmptySpans gaps = new EmptySpans(() -> isFree[0], () -> lsn[0]);
        KeySpan all = new KeySpan(key(100), key(200));
        gaps.learn(all, key(100), 10, 100);
        assertTrue(gaps.isNone(), "an operation may be under way that does not know");
        isFree[0] = true;
        gaps.learn(all, key(100), 10, 100);
        assertNull(gaps.around(key(150), 10), "what was put between the look and now is not known");
        gaps.learn(all, key(100), 9, 100);
        assertNull(gaps.around(key(150), 10), "that look was too early");
        gaps.learn(all, key(100), 10, 100);
        assertNull(gaps.around(key(150), 9));
        assertNull(gaps.around(key(200), 10));
        KeySpan known = gaps.around(key(150), 10);
        assertNotNull(known);
        assertArrayEquals(key(100), known.from());
        assertArrayEquals(key(200), known.to());
        gaps.cut(List.of(new Mutation.Remove(key(120)), new Mutation.Put(key(150), new byte[0])));
        assertNull(gaps.around(key(150), 11));
        KeySpan below = gaps.around(key(120), 11);
        KeySpan above = gaps.around(key(151), 11);
        assertNotNull(below);
        assertNotNull(above);
        assertArrayEquals(key(150), below.to());
        assertArrayEquals(KeySpan.after(key(150)), above.from());
        assertArrayEquals(key(200), above.to());
        assertEquals(400, gaps.passedKeys());
    }
}
