package io.kvstore.cli.arguments;

import io.kvstore.cli.rows.Encoding;

/** How the text of an argument stands for bytes. */
public enum TextForm {
    /** The text itself. */
    UTF8,
    /** Text in which {@code \xff} is a byte, as {@link Escapes} shows it. */
    ESCAPED,
    /** Two hexadecimal digits for each byte. */
    HEX,
    /** Base64 in either alphabet, with or without padding. */
    BASE64;

    /**
     * The bytes that a text stands for.
     *
     * @throws IllegalArgumentException if it stands for none; the message says why
     */
    public byte[] bytes(String text) {
        return switch (this) {
            case UTF8 -> Encoding.UTF8.bytes(text);
            case ESCAPED -> Escapes.bytes(text);
            case HEX -> Encoding.HEX.bytes(text);
            case BASE64 -> Encoding.BASE64.bytes(text);
        };
    }
}
