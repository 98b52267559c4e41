package io.kvstore.server.http;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes keys and values into JSON in the shape a request asked for. Used by one thread at a time. */
final class EntryForm {

    private final KeyEncoding encoding;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();

    EntryForm(KeyEncoding encoding) {
        this.encoding = encoding;
    }

    /** Writes an object with the key and, unless it is null, the value. */
    void write(JsonGenerator json, byte[] key, byte @Nullable [] value) {
        json.writeStartObject();
        writeFields(json, key, value);
        json.writeEndObject();
    }

    /** Writes the fields of an object that the caller began and ends. */
    void writeFields(JsonGenerator json, byte[] key, byte @Nullable [] value) {
        field(json, "key", key);
        if (value != null) {
            field(json, "value", value);
        }
    }

    private void field(JsonGenerator json, String name, byte[] bytes) {
        switch (encoding) {
            case TEXT -> {
                CharBuffer text = textOf(bytes);
                if (text == null) {
                    base64(json, name, bytes);
                } else {
                    json.writeName(name);
                    json.writeString(text.array(), text.arrayOffset() + text.position(), text.remaining());
                }
            }
            case BASE64URL -> base64(json, name, bytes);
            case HEX -> json.writeStringProperty(name + "_hex", HexFormat.of().formatHex(bytes));
        }
    }

    private static void base64(JsonGenerator json, String name, byte[] bytes) {
        json.writeStringProperty(
                name + "_b64", Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    private @Nullable CharBuffer textOf(byte[] bytes) {
        try {
            return decoder.decode(ByteBuffer.wrap(bytes));
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
