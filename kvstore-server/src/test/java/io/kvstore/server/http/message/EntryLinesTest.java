package io.kvstore.server.http.message;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.TextSamples;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.core.JsonGenerator;

/** The lines of a stream, held against the objects of a page, which a library writes. */
final class EntryLinesTest {

    private final Random random = new Random(7);

    /** Short ones, and long ones. */
    private List<byte[]> samples() {
        List<byte[]> samples = TextSamples.of(random);
        for (int escapes : new int[] {0, 804, 805}) {
            byte[] text = new byte[3_000];
            Arrays.fill(text, (byte) 'a');
            Arrays.fill(text, 0, escapes, (byte) 1);
            samples.add(text);
        }
        byte[] large = new byte[1 << 20];
        Arrays.fill(large, (byte) '"');
        samples.add(large);
        samples.add(Arrays.copyOf(large, 400_001));
        byte[] bytes = new byte[300_000];
        random.nextBytes(bytes);
        samples.add(bytes);
        return samples;
    }

    @ParameterizedTest
    @EnumSource(KeyEncoding.class)
    void a_line_is_what_the_library_writes(KeyEncoding encoding) throws IOException {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        EntryForm form = new EntryForm(encoding);
        EntryLines lines = new EntryLines(encoding);
        List<byte[]> samples = samples();
        try (JsonGenerator json = Json.generator(expected)) {
            for (int i = 0; i < samples.size(); i++) {
                byte[] key = samples.get(i).length > 1_000 ? new byte[0] : samples.get(i);
                byte[] value = samples.get((i * 31 + 7) % samples.size());
                form.write(json, key, value);
                form.write(json, key, null);
                lines.add(key, ByteBuffer.wrap(value).asReadOnlyBuffer());
                lines.add(key, null);
                if (i % 50 == 0) {
                    lines.moveTo(written);
                    assertEquals(0, lines.size());
                }
            }
            json.writeRaw('\n');
        }
        lines.add(Map.of("end", true));
        lines.moveTo(written);
        expected.writeBytes("{\"end\":true}\n".getBytes(StandardCharsets.US_ASCII));
        assertArrayEquals(expected.toByteArray(), written.toByteArray());
    }

    @Test
    void memory_is_held_from_the_first_line_on_and_not_for_a_long_one_that_has_passed() throws IOException {
        EntryLines lines = new EntryLines(KeyEncoding.TEXT);
        assertEquals(0, lines.heldBytes());
        byte[] key = {'k'};
        lines.add(key, null);
        assertEquals(2 * Limits.STREAM_CHUNK_BYTES, lines.heldBytes());
        byte[] large = new byte[1 << 20];
        Arrays.fill(large, (byte) 'a');
        lines.add(key, ByteBuffer.wrap(large));
        assertTrue(lines.size() > large.length && lines.heldBytes() >= lines.size());
        assertTrue(lines.heldBytes() < EntryLines.mostBytes(large.length) / 2);
        lines.moveTo(new ByteArrayOutputStream());
        assertEquals(0, lines.heldBytes());
        lines.add(key, null);
        lines.moveTo(new ByteArrayOutputStream());
        assertEquals(2 * Limits.STREAM_CHUNK_BYTES, lines.heldBytes());
    }

    @ParameterizedTest
    @EnumSource(KeyEncoding.class)
    void bytes_around_a_value_are_not_written(KeyEncoding encoding) throws IOException {
        ByteBuffer inside = ByteBuffer.wrap("beforevalueafter".getBytes(StandardCharsets.US_ASCII));
        inside.position(6).limit(11);
        EntryLines lines = new EntryLines(encoding);
        lines.add(new byte[] {'k'}, inside);
        ByteArrayOutputStream part = new ByteArrayOutputStream();
        lines.moveTo(part);
        lines.add(new byte[] {'k'}, ByteBuffer.wrap("value".getBytes(StandardCharsets.US_ASCII)));
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        lines.moveTo(whole);
        assertEquals(whole.toString(StandardCharsets.US_ASCII), part.toString(StandardCharsets.US_ASCII));
    }
}
