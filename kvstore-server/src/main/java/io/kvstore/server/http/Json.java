package io.kvstore.server.http;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Reads JSON strictly (UTF-8, no duplicate fields, bounded depth and numbers) and writes it in snake case. */
final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(Limits.JSON_DEPTH)
                            .maxNumberLength(Limits.JSON_NUMBER_CHARS)
                            .maxStringLength(Limits.LINE_BYTES)
                            .maxDocumentLength(Limits.LINE_BYTES)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                    .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
                    .rootValueSeparator("\n")
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    private Json() {}

    /** Parses one document. */
    static JsonNode parse(byte[] utf8) {
        String text = Percent.text(utf8, "the JSON");
        try {
            JsonNode node = MAPPER.readTree(text);
            if (node == null || node.isMissingNode()) {
                throw new ProblemException(
                        Problem.of(ProblemCode.INVALID_JSON, "the body is empty; give a JSON object"));
            }
            return node;
        } catch (StreamConstraintsException e) {
            throw new ProblemException(Problem.of(
                    ProblemCode.INVALID_JSON,
                    "the JSON is nested deeper than " + Limits.JSON_DEPTH + " or holds a number longer than "
                            + Limits.JSON_NUMBER_CHARS + " characters"));
        } catch (JacksonException e) {
            throw new ProblemException(Problem.of(
                    ProblemCode.INVALID_JSON,
                    "line %d, column %d: %s"
                            .formatted(
                                    e.getLocation().getLineNr(), e.getLocation().getColumnNr(), firstLine(e))));
        }
    }

    private static String firstLine(JacksonException e) {
        String message = e.getOriginalMessage();
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    /** A record or a map as a line, so that a terminal shows it well. */
    static byte[] bytes(Object value) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        MAPPER.writeValue(line, value);
        line.write('\n');
        return line.toByteArray();
    }

    /** A generator whose documents stand on lines of their own. Closing it does not close the stream. */
    static JsonGenerator generator(OutputStream out) {
        return MAPPER.createGenerator(out);
    }

    /** Writes one map as one document. */
    static void write(JsonGenerator generator, Map<String, Object> value) {
        MAPPER.writeValue(generator, value);
    }
}
