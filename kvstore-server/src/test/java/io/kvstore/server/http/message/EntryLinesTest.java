package io.kvstore.server.http.message;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.ProblemCode;
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
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

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

    /** A generator that puts each document on a line of its own. */
    private static JsonGenerator library(ByteArrayOutputStream out) {
        return new JsonMapper(JsonFactory.builder().rootValueSeparator("\n").build()).createGenerator(out);
    }

    @ParameterizedTest
    @EnumSource(KeyEncoding.class)
    void a_line_is_what_the_library_writes(KeyEncoding encoding) throws IOException {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        EntryForm form = new EntryForm(encoding);
        EntryLines lines = new EntryLines(encoding);
        List<byte[]> samples = samples();
        try (JsonGenerator json = library(expected)) {
            for (int i = 0; i < samples.size(); i++) {
                byte[] key = samples.get(i).length > 1_000 ? new byte[0] : samples.get(i);
                byte[] value = samples.get((i * 31 + 7) % samples.size());
                form.write(json, key, value);
                form.write(json, key, null);
                if (value.length < EntryLines.LONG_VALUE_BYTES) {
                    lines.add(key, ByteBuffer.wrap(value).asReadOnlyBuffer());
                } else {
                    lines.writeLong(key, value, written);
                }
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

    /** The text of a long value is made part by part, so the parts must be the same bytes as the whole. */
    @ParameterizedTest
    @EnumSource(KeyEncoding.class)
    void a_page_is_what_the_library_writes(KeyEncoding encoding) {
        for (boolean ofKeys : new boolean[] {true, false}) {
            Page page = new Page(new ByteBudget(Long.MAX_VALUE).claim(ProblemCode.ANSWER_TOO_LARGE));
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            EntryForm form = new EntryForm(encoding);
            List<byte[]> samples = samples();
            try (JsonGenerator json = library(expected)) {
                json.writeStartObject();
                json.writeArrayPropertyStart("entries");
                for (int i = 0; i < samples.size(); i++) {
                    byte[] key = samples.get(i).length > 1_000 ? new byte[0] : samples.get(i);
                    byte[] value = i % 5 == 0 ? null : samples.get((i * 31 + 7) % samples.size());
                    page.add(key, value);
                    json.writeStartObject();
                    form.writeFields(json, key, value);
                    if (ofKeys) {
                        json.writeBooleanProperty("found", value != null);
                    }
                    json.writeEndObject();
                }
                json.writeEndArray();
                if (!ofKeys) {
                    json.writeStringProperty("next_cursor", "bmV4dA");
                }
                json.writeEndObject();
                json.writeRaw('\n');
            }
            PageWriter.Shape shape = ofKeys ? new PageWriter.OfKeys() : new PageWriter.OfRange("bmV4dA");
            assertArrayEquals(expected.toByteArray(), written(new PageWriter(page, encoding, shape)));
        }
    }

    private static byte[] written(PageWriter writer) {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (byte[] piece = writer.next(); piece != null; piece = writer.next()) {
            assertTrue(piece.length < 5 * Limits.STREAM_CHUNK_BYTES, piece.length + " bytes in memory at a time");
            written.writeBytes(piece);
        }
        return written.toByteArray();
    }

    @Test
    void a_page_of_nothing_is_what_the_library_writes() {
        Page page = new Page(new ByteBudget(0).claim(ProblemCode.ANSWER_TOO_LARGE));
        String text = new String(
                written(new PageWriter(page, KeyEncoding.TEXT, new PageWriter.OfRange(null))),
                StandardCharsets.US_ASCII);
        assertEquals("{\"entries\":[],\"next_cursor\":null}\n", text);
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
