package io.kvstore.server.http.message;

import io.kvstore.server.edge.ProblemException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The form of keys and bounds in a URL, and of keys and values in the answer. */
public enum KeyEncoding {
    /** In a URL: the bytes, percent-encoded. In JSON: text where the bytes are UTF-8, else base64url. */
    TEXT,
    /** Base64 with the URL alphabet; padding may be left out. */
    BASE64URL,
    /** Two hexadecimal digits for each byte. */
    HEX;

    /** The encoding that a request names, or {@link #TEXT} if it names none. */
    public static KeyEncoding named(@Nullable String name) {
        if (name == null) {
            return TEXT;
        }
        for (KeyEncoding encoding : values()) {
            if (encoding.name().toLowerCase(Locale.ROOT).equals(name)) {
                return encoding;
            }
        }
        throw ProblemException.invalid("encoding is \"" + name + "\"; give text, base64url or hex");
    }

    /**
     * The bytes that a decoded part of a URL stands for.
     *
     * @param written the part after its percent escapes were decoded
     * @param field the name of the part, for messages
     */
    byte[] bytes(byte[] written, String field) {
        return switch (this) {
            case TEXT -> written;
            case BASE64URL -> ofBase64(Percent.text(written, field), field);
            case HEX -> ofHex(Percent.text(written, field), field);
        };
    }

    /** The bytes of base64 in either alphabet, with or without padding. */
    public static byte[] ofBase64(String text, String field) {
        try {
            return Base64.getUrlDecoder().decode(text.replace('+', '-').replace('/', '_'));
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalid(field + " is not valid base64url");
        }
    }

    /** The bytes of pairs of hexadecimal digits. */
    static byte[] ofHex(String text, String field) {
        try {
            return HexFormat.of().parseHex(text);
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalid(field + " is not a list of two-digit hexadecimal numbers");
        }
    }
}
