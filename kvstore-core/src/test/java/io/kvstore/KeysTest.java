package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyOrder;
import io.kvstore.error.InvalidRequestException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys from Strings. */
final class KeysTest {

    @Test
    void strings_become_utf8_in_code_point_order() {
        assertArrayEquals(new byte[] {'a', (byte) 0xC3, (byte) 0xBC}, Keys.bytes("a\u00fc"));
        assertEquals(0, Keys.bytes("").length);
        List<byte[]> keys = Keys.of("z", "\u00e4", "\uffee", "\ud83d\ude00");
        for (int i = 1; i < keys.size(); i++) {
            assertTrue(KeyOrder.compare(keys.get(i - 1), keys.get(i)) < 0);
        }
    }

    @Test
    void lone_surrogates_are_refused() {
        for (String broken : List.of("\ud83d", "\ude00", "a\ud83db", "\ude00\ud83d")) {
            assertThrows(InvalidRequestException.class, () -> Keys.bytes(broken));
        }
    }
}
