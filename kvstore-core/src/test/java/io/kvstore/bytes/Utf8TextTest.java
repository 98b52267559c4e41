package io.kvstore.bytes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of bytes that are UTF-8, or are not. */
final class Utf8TextTest {

    @Test
    void text_comes_back() throws Exception {
        for (String text : new String[] {"", "a", "\u0000", "\u00E9\u4E2D", "\uD83D\uDE00", "\uFFFD"}) {
            byte[] bytes = text.getBytes(UTF_8);
            assertEquals(text, Utf8Text.of(bytes));
            byte[] within = ("x" + text + "y").getBytes(UTF_8);
            assertEquals(text, Utf8Text.chars(within, 1, bytes.length).toString());
        }
    }

    /** A byte alone, a character that is cut off, one that is too long, half of a pair, and one beyond the last. */
    @ParameterizedTest
    @ValueSource(strings = {"ff", "80", "61c3", "e4b8", "c080", "eda080", "f4908080", "c3a9c3"})
    void other_bytes_are_refused(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThrows(CharacterCodingException.class, () -> Utf8Text.of(bytes));
    }

    @Test
    void a_part_may_end_before_what_is_no_text() throws Exception {
        byte[] bytes = {'a', 'b', (byte) 0xFF};
        assertEquals("ab", Utf8Text.chars(bytes, 0, 2).toString());
        assertThrows(CharacterCodingException.class, () -> Utf8Text.chars(bytes, 1, 2));
    }
}
