package io.kvstore.cli.rows;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;

/** How text stands for bytes. */
public enum Encoding {
    /** The text itself. */
    UTF8(""),
    /** Two hexadecimal digits for each byte. */
    HEX("_hex"),
    /** Base64 in either alphabet, with or without padding. */
    BASE64("_b64");

    private final String suffix;

    Encoding(String suffix) {
        this.suffix = suffix;
    }

    /** The end of the name of a field whose text stands for bytes in this way. */
    String suffix() {
        return suffix;
    }

    /**
     * The bytes that a text stands for.
     *
     * @throws IllegalArgumentException if it stands for none; the message says why
     */
    public byte[] bytes(String text) {
        return switch (this) {
            case UTF8 -> utf8(text);
            case HEX -> hex(text);
            case BASE64 -> base64(text);
        };
    }

    private static byte[] utf8(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "has half of a surrogate pair, which UTF-8 cannot have; give the bytes as hex or base64", e);
        }
    }

    private static byte[] hex(String text) {
        try {
            return HexFormat.of().parseHex(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("is not hexadecimal; give two digits for each byte", e);
        }
    }

    private static byte[] base64(String text) {
        try {
            return Base64.getUrlDecoder().decode(text.replace('+', '-').replace('/', '_'));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("is not base64; give it in either alphabet, without blanks", e);
        }
    }
}
