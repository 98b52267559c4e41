package io.kvstore.server.http.message;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.Base64Variants;
import tools.jackson.core.JsonGenerator;

/** Writes keys and values into JSON in the form that a request asked for. Used by one thread at a time. */
public final class EntryForm {

    /** A text may be twice as long as its bytes, and longer by this number. Beyond that base64 is written. */
    private static final int FREE_ESCAPE_BYTES = 1 << 10;

    private static final int DECODED_CHARS = 512;

    private final KeyEncoding encoding;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    private final CharBuffer decoded = CharBuffer.allocate(DECODED_CHARS);

    public EntryForm(KeyEncoding encoding) {
        this.encoding = encoding;
    }

    /** Writes an object with the key and, if it is not null, the value. */
    public void write(JsonGenerator json, byte[] key, byte @Nullable [] value) {
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
                if (isText(bytes)) {
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

    /**
     * Whether bytes are UTF-8 that stays readable, and not much larger, as a JSON string. A control character takes six bytes.
     */
    boolean isText(byte[] bytes) {
        long room = bytes.length + (long) FREE_ESCAPE_BYTES;
        for (byte b : bytes) {
            if (b >= 0 && b < ' ') {
                room -= isShortEscape(b) ? 1 : 5;
            } else if (b == '"' || b == '\\') {
                room--;
            }
        }
        return room >= 0 && isUtf8(bytes);
    }

    private static boolean isShortEscape(byte b) {
        return b == '\b' || b == '\t' || b == '\n' || b == '\f' || b == '\r';
    }

    private boolean isUtf8(byte[] bytes) {
        decoder.reset();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CoderResult result;
        do {
            decoded.clear();
            result = decoder.decode(in, decoded, true);
        } while (result.isOverflow());
        return !result.isError();
    }
}
