package io.kvstore.server.http.message;

import io.kvstore.bytes.TextCheck;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.Base64Variants;
import tools.jackson.core.JsonGenerator;

/** Writes keys and values with a library, to compare with what the server writes. */
final class EntryForm {

    private final KeyEncoding encoding;
    private final TextCheck texts = new TextCheck();

    EntryForm(KeyEncoding encoding) {
        this.encoding = encoding;
    }

    /** Writes an object with the key and, if it is not null, the value. */
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
                if (texts.isReadable(bytes)) {
                    json.writeName(name);
                    json.writeUTF8String(bytes, 0, bytes.length);
                } else {
                    base64(json, name, bytes);
                }
            }
            case BASE64URL -> base64(json, name, bytes);
            case HEX -> json.writeStringProperty(name + "_hex", HexFormat.of().formatHex(bytes));
        }
    }

    private static void base64(JsonGenerator json, String name, byte[] bytes) {
        json.writeName(name + "_b64");
        json.writeBinary(Base64Variants.MODIFIED_FOR_URL, bytes, 0, bytes.length);
    }
}
