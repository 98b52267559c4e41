package io.kvstore.bytes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.TextSamples;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Strings of JSON, held against those of a few lines of code. The edges hold theirs against a library. */
final class JsonTextTest {

    private static final int KEPT_BYTES = 1_000;
    private static final byte[] FRONT = ",\"value\":\"".getBytes(UTF_8);

    private final JsonText json = new JsonText(KEPT_BYTES);
    private final Random random = new Random(5);
    private final List<byte[]> texts = TextSamples.of(random).stream()
            .filter(sample -> new TextCheck().isUtf8(sample))
            .toList();

    private static String escaped(byte[] utf8) {
        StringBuilder escaped = new StringBuilder();
        new String(utf8, UTF_8).chars().forEach(letter -> {
            int known = "\b\t\n\f\r\"\\".indexOf(letter);
            if (known >= 0) {
                escaped.append('\\').append("btnfr\"\\".charAt(known));
            } else if (letter < ' ') {
                escaped.append(String.format(Locale.ROOT, "\\u%04X", letter));
            } else {
                escaped.append((char) letter);
            }
        });
        return escaped.toString();
    }

    private byte[] moved() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        json.moveTo(out);
        return out.toByteArray();
    }

    private String text() throws IOException {
        return new String(moved(), UTF_8);
    }

    @Test
    void strings_are_escaped_where_they_must_be() throws IOException {
        for (byte[] text : texts) {
            String expected = escaped(text);
            json.addEscaped(text, 0, text.length);
            assertEquals(expected, text());
            assertEquals(
                    expected.getBytes(UTF_8).length, text.length + JsonText.extraBytes(text, 0, text.length), expected);
        }
    }

    @Test
    void plain_strings_are_added_whole_and_others_not_at_all() throws IOException {
        for (byte[] text : texts) {
            boolean isPlain = Arrays.equals(escaped(text).getBytes(UTF_8), text)
                    && new String(text, UTF_8).length() == text.length;
            ByteBuffer inside = ByteBuffer.allocateDirect(text.length + 3).put(2, text);
            inside.position(2).limit(2 + text.length);
            assertEquals(isPlain, json.addPlain(FRONT, inside));
            assertEquals(2, inside.position());
            assertEquals(isPlain ? new String(FRONT, UTF_8) + new String(text, UTF_8) : "", text());
        }
    }

    @Test
    void parts_of_bytes_are_written_and_no_others() throws IOException {
        byte[] bytes = new byte[100];
        random.nextBytes(bytes);
        byte[] part = Arrays.copyOfRange(bytes, 7, 60);
        json.addHex(bytes, 7, 60);
        assertEquals(HexFormat.of().formatHex(part), text());
        json.addBase64(bytes, 7, 60);
        assertEquals(Base64.getUrlEncoder().withoutPadding().encodeToString(part), text());
        json.addEscaped("before\nafter".getBytes(UTF_8), 6, 7);
        assertEquals("\\n", text());
    }

    @Test
    void memory_is_kept_from_the_first_addition_on_and_not_for_a_long_string_that_has_passed() throws IOException {
        assertEquals(0, json.heldBytes());
        json.add(new byte[] {'a'});
        assertEquals(KEPT_BYTES, json.heldBytes());
        byte[] large = new byte[50 * KEPT_BYTES];
        Arrays.fill(large, (byte) 1);
        json.addEscaped(large, 0, large.length);
        assertEquals(1 + 6 * large.length, json.size());
        assertTrue(json.heldBytes() < 7 * large.length);
        assertEquals(1 + 6 * large.length, moved().length);
        assertEquals(0, json.heldBytes());
        assertEquals(0, json.size());
        json.add(new byte[] {'b'});
        assertArrayEquals(new byte[] {'b'}, moved());
        assertEquals(KEPT_BYTES, json.heldBytes());
    }

    @Test
    void text_is_readable_up_to_a_number_of_escapes() {
        TextCheck check = new TextCheck();
        byte[] text = new byte[3_000];
        Arrays.fill(text, (byte) 'a');
        Arrays.fill(text, 0, 804, (byte) 1);
        Arrays.fill(text, 804, 808, (byte) '"');
        assertTrue(check.isReadable(text)); // as a string it is 3,000 + 1,024 bytes longer
        text[808] = '"';
        assertFalse(check.isReadable(text));
        assertTrue(check.isUtf8(text));
        assertFalse(check.isReadable(new byte[] {'a', (byte) 0xC3}));
        assertFalse(check.isUtf8(new byte[] {'a', (byte) 0xC3}));
        byte[] umlauts = "\u00e4".repeat(2_000).getBytes(UTF_8);
        assertTrue(check.isReadable(umlauts));
        umlauts[umlauts.length - 1] = 'a';
        assertFalse(check.isReadable(umlauts));
    }
}
