package io.kvstore.cli.http;

import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A whole answer.
 *
 * @param headers the first value of each; their names have no case
 */
record Answer(int status, Map<String, String> headers, byte[] body) {

    static final int OK = 200;
    static final int CREATED = 201;
    static final int NO_CONTENT = 204;
    static final int NOT_MODIFIED = 304;
    static final int NOT_FOUND = 404;

    private static final int FIRST_SUCCESS = OK;
    private static final int FIRST_REDIRECT = 300;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Exchange.MOST_ANSWER_BYTES)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** Whether it says that the call was done. A redirect does not: nothing was done where it leads. */
    boolean isSuccess() {
        return status >= FIRST_SUCCESS && status < FIRST_REDIRECT;
    }

    /** Requires the answer to a change that has no other: one that anybody else gives has a body. */
    void requireNoContent() {
        if (status != NO_CONTENT) {
            throw unexpected("an answer of status " + status + " to a change");
        }
    }

    /** The hash of the value that the answer has, or that was put. A server that is not KVStore gives none. */
    long tag() {
        String tag = headers.getOrDefault("ETag", "").replace("\"", "");
        try {
            return Long.parseUnsignedLong(tag, 16);
        } catch (NumberFormatException e) {
            throw unexpected("an answer without the tag of a value");
        }
    }

    /** The body as a JSON document. */
    JsonNode json() {
        JsonNode document = jsonOrNull();
        if (document == null) {
            throw unexpected("an answer that is no JSON");
        }
        return document;
    }

    /** The body as a JSON document; null if it is none. */
    @Nullable
    JsonNode jsonOrNull() {
        return documentOrNull(body);
    }

    /** Bytes as a JSON document; null if they are none. */
    static @Nullable JsonNode documentOrNull(byte[] bytes) {
        try {
            JsonNode document = MAPPER.readTree(bytes);
            return document.isObject() ? document : null;
        } catch (JacksonException e) {
            return null;
        }
    }

    /** The field of a document, which must be there. */
    static JsonNode field(JsonNode document, String name) {
        JsonNode field = document.get(name);
        if (field == null) {
            throw unexpected("an answer without the field " + name);
        }
        return field;
    }

    /** The bytes of a field in base64url. */
    static byte[] bytes(JsonNode field) {
        try {
            return Base64.getUrlDecoder().decode(field.asString());
        } catch (IllegalArgumentException e) {
            throw unexpected("an answer with bytes that are not in base64url");
        }
    }

    /** The failure of an answer that KVStore does not give. */
    static KVClientException unexpected(String what) {
        return KVClientException.of(ErrorReport.of(
                ErrorCode.INTERNAL_ERROR,
                Outcome.UNKNOWN,
                "the server gave " + what
                        + "; is it a kvstore server of this version, and the port that of its HTTP API?"));
    }
}
