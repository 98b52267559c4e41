package io.kvstore.cli.rows;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.bytes.TextCheck;
import io.kvstore.testkit.TextSamples;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Lines of entries, held against those that a library writes. */
final class NdjsonWriterTest {

    private final Random random = new Random(3);

    /** Short ones, and long ones. */
    private List<byte[]> samples() {
        List<byte[]> samples = TextSamples.of(random);
        for (int length : new int[] {6_143, 6_144, 6_145, 131_071, 131_072, 400_000}) {
            byte[] text = new byte[length];
            Arrays.fill(text, (byte) 'a');
            samples.add(text.clone());
            Arrays.fill(text, (byte) '"');
            samples.add(text.clone());
            Arrays.fill(text, (byte) 1);
            samples.add(text.clone());
            random.nextBytes(text);
            samples.add(text);
        }
        return samples;
    }

    @ParameterizedTest
    @NullSource
    @EnumSource(Encoding.class)
    void a_line_is_what_the_library_writes(@Nullable Encoding encoding) throws IOException {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        NdjsonWriter writer = new NdjsonWriter(written, encoding);
        TextCheck texts = new TextCheck();
        List<byte[]> samples = samples();
        if (encoding == Encoding.UTF8) {
            samples.removeIf(sample -> !texts.isUtf8(sample));
        }
        try (JsonGenerator json = JsonFactory.builder()
                .rootValueSeparator("\n")
                .build()
                .createGenerator(ObjectWriteContext.empty(), expected, JsonEncoding.UTF8)) {
            for (int i = 0; i < samples.size(); i++) {
                byte[] key = samples.get(i);
                byte[] value = samples.get((i * 31 + 7) % samples.size());
                json.writeStartObject();
                JsonBytes.write(json, "key", key, encoding != null ? encoding : JsonBytes.readable(texts, key));
                JsonBytes.write(json, "value", value, encoding != null ? encoding : JsonBytes.readable(texts, value));
                json.writeEndObject();
                writer.write(key, value);
            }
            json.writeRaw('\n');
        }
        writer.end(samples.size());
        expected.writeBytes(("{\"end\":true,\"count\":" + samples.size() + "}\n").getBytes(StandardCharsets.US_ASCII));
        assertArrayEquals(expected.toByteArray(), written.toByteArray());
    }

    @Test
    void bytes_that_are_no_text_are_refused_if_all_must_be() {
        NdjsonWriter writer = new NdjsonWriter(new ByteArrayOutputStream(), Encoding.UTF8);
        byte[] bad = {(byte) 0xFF};
        assertThrows(NotTextException.class, () -> writer.write(bad, new byte[0]));
        assertThrows(NotTextException.class, () -> writer.write(new byte[0], bad));
    }
}
