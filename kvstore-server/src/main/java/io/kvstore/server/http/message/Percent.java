package io.kvstore.server.http.message;

import io.kvstore.bytes.Utf8Text;
import io.kvstore.server.edge.ProblemException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;

/** Decodes the percent escapes of a URL, exactly once. */
final class Percent {

    private Percent() {}

    /**
     * The bytes of a path segment. A plus stands for itself.
     *
     * @param field the name of the text, for messages
     */
    static byte[] pathBytes(String raw, String field) {
        return decode(raw, false, field);
    }

    /** The bytes of a part of the query. A plus is a space, as in forms. */
    static byte[] queryBytes(String raw, String field) {
        return decode(raw, true, field);
    }

    /** The text of bytes that must be UTF-8. */
    static String text(byte[] bytes, String field) {
        try {
            return Utf8Text.of(bytes);
        } catch (CharacterCodingException e) {
            throw ProblemException.invalid(field + " is not valid UTF-8");
        }
    }

    private static byte[] decode(String raw, boolean plusIsSpace, String field) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                bytes.write(escape(raw, i, field));
                i += 2;
            } else if (c <= ' ' || c >= 0x7F) {
                throw ProblemException.invalid(field + " holds the character U+"
                        + HexFormat.of().withUpperCase().toHexDigits(c) + "; write it as a percent escape");
            } else {
                bytes.write(c == '+' && plusIsSpace ? ' ' : c);
            }
        }
        return bytes.toByteArray();
    }

    private static int escape(String raw, int at, String field) {
        int high = at + 2 < raw.length() ? hexDigit(raw.charAt(at + 1)) : -1;
        int low = at + 2 < raw.length() ? hexDigit(raw.charAt(at + 2)) : -1;
        if (high < 0 || low < 0) {
            throw ProblemException.invalid(
                    field + " has a percent sign at position " + at + " that two hexadecimal digits do not follow");
        }
        return high << 4 | low;
    }

    private static int hexDigit(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }
}
