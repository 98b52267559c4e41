package io.kvstore.cli.rows;

import io.kvstore.bytes.TextCheck;
import java.util.HexFormat;
import tools.jackson.core.Base64Variants;
import tools.jackson.core.JsonGenerator;

/** Bytes as a field of a JSON object, whose name says how they are written. */
final class JsonBytes {

    private JsonBytes() {}

    /** The encoding that shows bytes best. */
    static Encoding readable(TextCheck texts, byte[] bytes) {
        return texts.isReadable(bytes) ? Encoding.UTF8 : Encoding.BASE64;
    }

    static void write(JsonGenerator json, String name, byte[] bytes, Encoding encoding) {
        json.writeName(name + encoding.suffix());
        switch (encoding) {
            case UTF8 -> json.writeUTF8String(bytes, 0, bytes.length);
            case HEX -> json.writeString(HexFormat.of().formatHex(bytes));
            case BASE64 -> json.writeBinary(Base64Variants.MODIFIED_FOR_URL, bytes, 0, bytes.length);
        }
    }
}
