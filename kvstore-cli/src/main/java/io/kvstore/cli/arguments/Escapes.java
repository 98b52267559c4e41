package io.kvstore.cli.arguments;

import io.kvstore.bytes.TextCheck;
import io.kvstore.cli.rows.Encoding;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Bytes as text that can be read, printed, and given back: {@code \xff} is a byte, and {@code \\} a backslash. */
public final class Escapes {

    private static final HexFormat HEX = HexFormat.of();
    private static final int HEX_DIGITS = 2;

    private Escapes() {}

    /** The text that shows bytes: UTF-8 as it is, other bytes and control characters as escapes. */
    public static String text(byte[] bytes) {
        StringBuilder shown = new StringBuilder(bytes.length + 16);
        if (new TextCheck().isUtf8(bytes)) {
            new String(bytes, StandardCharsets.UTF_8).codePoints().forEach(point -> addPoint(shown, point));
        } else {
            for (byte b : bytes) {
                if (b < 0) {
                    addByte(shown, b);
                } else {
                    addPoint(shown, b);
                }
            }
        }
        return shown.toString();
    }

    private static void addPoint(StringBuilder shown, int point) {
        switch (point) {
            case '\\' -> shown.append("\\\\");
            case '\n' -> shown.append("\\n");
            case '\r' -> shown.append("\\r");
            case '\t' -> shown.append("\\t");
            default -> {
                if (isShown(point)) {
                    shown.appendCodePoint(point);
                } else {
                    for (byte b : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
                        addByte(shown, b);
                    }
                }
            }
        }
    }

    /** Whether a terminal shows a character, and shows it where it stands: marks of direction move others. */
    private static boolean isShown(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    private static void addByte(StringBuilder shown, byte b) {
        shown.append("\\x").append(HEX.toHexDigits(b));
    }

    /**
     * The bytes that a text with escapes stands for.
     *
     * @throws IllegalArgumentException if a backslash begins no escape; the message says so
     */
    static byte[] bytes(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        int from = 0;
        for (int at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', from)) {
            bytes.writeBytes(Encoding.UTF8.bytes(text.substring(from, at)));
            char escape = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
            from = at + 2;
            switch (escape) {
                case 'n' -> bytes.write('\n');
                case 'r' -> bytes.write('\r');
                case 't' -> bytes.write('\t');
                case '\\', '"', '\'', ' ' -> bytes.write(at + 1 < text.length() ? escape : noEscape());
                case 'x' -> {
                    bytes.writeBytes(hex(text, from));
                    from += HEX_DIGITS;
                }
                default -> noEscape();
            }
        }
        bytes.writeBytes(Encoding.UTF8.bytes(text.substring(from)));
        return bytes.toByteArray();
    }

    private static byte[] hex(String text, int from) {
        try {
            return HEX.parseHex(text, from, from + HEX_DIGITS);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("has \\x without two hexadecimal digits; write a byte as \\x0f", e);
        }
    }

    private static int noEscape() {
        throw new IllegalArgumentException(
                "has a backslash that begins no escape; write \\\\ for a backslash, and \\xff, \\n, \\r or \\t for a byte");
    }
}
