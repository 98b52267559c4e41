package io.kvstore.server.http.message;

import io.kvstore.bytes.Utf8Text;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.io.UncheckedIOException;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads JSON strictly: UTF-8, no duplicate fields, bounded depth, names and numbers. Reads it token by token, so that a
 * document of many small parts costs no more than its text. Writes JSON with names in snake case.
 */
public final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(Limits.JSON_DEPTH)
                            .maxNameLength(Limits.JSON_NAME_CHARS)
                            .maxNumberLength(Limits.JSON_NUMBER_CHARS)
                            .maxStringLength(Limits.LINE_BYTES)
                            .maxDocumentLength(Limits.LINE_BYTES)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                    .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
                    .build())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    /** The byte order mark that programs on Windows write before UTF-8. */
    static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private Json() {}

    /** Reads a document from its tokens. */
    public interface Reading<T> {
        T read(JsonInput input);
    }

    /** Reads one whole document, with or without a byte order mark. */
    public static <T> T read(InputStream utf8, Reading<T> reading) {
        CharsetDecoder strict = StandardCharsets.UTF_8.newDecoder();
        try (JsonParser parser = MAPPER.createParser(new InputStreamReader(withoutMark(utf8), strict))) {
            return read(parser, reading);
        } catch (JacksonException e) {
            throw problem(e);
        } catch (IOException e) {
            throw new UncheckedIOException("a body in memory cannot be read", e);
        }
    }

    /** As the other method. It takes less for a short document: the reader of a stream has a buffer of 8 KiB. */
    static <T> T read(byte[] utf8, Reading<T> reading) {
        int from = beginsWithMark(utf8) ? MARK.length : 0;
        CharBuffer text;
        try {
            text = Utf8Text.chars(utf8, from, utf8.length - from);
        } catch (CharacterCodingException e) {
            throw notUtf8();
        }
        try (JsonParser parser = MAPPER.createParser(text.array(), text.arrayOffset(), text.remaining())) {
            return read(parser, reading);
        } catch (JacksonException e) {
            throw problem(e);
        }
    }

    private static <T> T read(JsonParser parser, Reading<T> reading) {
        if (parser.nextToken() == null) {
            throw new ProblemException(Problem.of(ProblemCode.INVALID_JSON, "the body is empty; give a JSON object"));
        }
        T result = reading.read(new JsonInput(parser));
        if (parser.nextToken() != null) {
            throw new ProblemException(
                    Problem.of(ProblemCode.INVALID_JSON, "something follows the end of the JSON object"));
        }
        return result;
    }

    private static ProblemException notUtf8() {
        return ProblemException.invalid("the JSON is not valid UTF-8");
    }

    /** Skips the byte order mark of UTF-8. */
    private static InputStream withoutMark(InputStream utf8) throws IOException {
        byte[] first = utf8.readNBytes(MARK.length);
        if (beginsWithMark(first)) {
            return utf8;
        }
        PushbackInputStream whole = new PushbackInputStream(utf8, MARK.length);
        whole.unread(first);
        return whole;
    }

    /** Whether text begins with the byte order mark of UTF-8. Refuses those of UTF-16 with a message that names them. */
    private static boolean beginsWithMark(byte[] text) {
        if (text.length >= 2
                && (text[0] & 0xFF) + (text[1] & 0xFF) == 0xFF + 0xFE
                && Math.abs(text[0] - text[1]) == 1) {
            throw new ProblemException(Problem.of(
                    ProblemCode.INVALID_JSON, "it begins with the byte order mark of UTF-16; send it as UTF-8"));
        }
        return text.length >= MARK.length && Arrays.equals(text, 0, MARK.length, MARK, 0, MARK.length);
    }

    private static ProblemException problem(JacksonException e) {
        if (e instanceof StreamConstraintsException) {
            return new ProblemException(Problem.of(
                    ProblemCode.INVALID_JSON,
                    "the JSON is nested deeper than " + Limits.JSON_DEPTH + ", or has a name longer than "
                            + Limits.JSON_NAME_CHARS + " or a number longer than " + Limits.JSON_NUMBER_CHARS
                            + " characters"));
        }
        if (e.getCause() instanceof CharacterCodingException) {
            return notUtf8();
        }
        return new ProblemException(Problem.of(
                ProblemCode.INVALID_JSON,
                "line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ": " + firstLine(e)));
    }

    /** The first line of the message, without the library's description of the source. */
    private static String firstLine(JacksonException e) {
        String message = e.getOriginalMessage();
        int end = message.indexOf('\n');
        String line = end < 0 ? message : message.substring(0, end);
        int about = line.indexOf(" (start marker at [Source");
        int source = about < 0 ? line.indexOf(" at [Source") : about;
        return source < 0 ? line : line.substring(0, source);
    }

    /** A record or a map as one line, which a terminal shows well. */
    static byte[] bytes(Object value) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        MAPPER.writeValue(line, value);
        line.write('\n');
        return line.toByteArray();
    }
}
