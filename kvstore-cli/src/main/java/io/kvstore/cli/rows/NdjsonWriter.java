package io.kvstore.cli.rows;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Writes a JSON object in a line for each entry, and a last line that says how many there were, as the HTTP API does. Most text
 * has no letter that is escaped, and is copied as it is. Bytes that are longer than a piece are written piece by piece.
 */
public final class NdjsonWriter implements EntryWriter {

    private static final int BUFFER_BYTES = 128 << 10;

    /** A multiple of three, so that the base64 of pieces is that of the whole. */
    private static final int PIECE_BYTES = 6 << 10;

    /** The longest escape of a byte. */
    private static final int ESCAPE_BYTES = 6;

    private static final byte[] END = ascii("}\n");
    private static final byte[] HEX_DIGITS = ascii("0123456789ABCDEF");

    /** By byte: 0 if a string of JSON has it as it is, else the letter of its escape, or {@code u}. */
    private static final byte[] ESCAPES = escapes();

    private final OutputStream out;
    private final @Nullable Encoding encoding;
    private final Texts texts = new Texts();
    private final Names keys = Names.of("{\"" + RowForm.OF_ENTRIES.key());
    private final Names values = Names.of(",\"" + RowForm.OF_ENTRIES.value());
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int size;

    /** The name of a field by the encoding of its bytes, with all that stands in front of these. */
    private record Names(byte[] utf8, byte[] hex, byte[] base64) {

        static Names of(String name) {
            return new Names(of(name, Encoding.UTF8), of(name, Encoding.HEX), of(name, Encoding.BASE64));
        }

        private static byte[] of(String name, Encoding encoding) {
            return ascii(name + encoding.suffix() + "\":\"");
        }
    }

    /** @param encoding how bytes are written; null for text where they are readable text, and base64 otherwise */
    public NdjsonWriter(OutputStream out, @Nullable Encoding encoding) {
        this.out = out;
        this.encoding = encoding;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] escapes() {
        byte[] escapes = new byte[1 << 8];
        Arrays.fill(escapes, 0, ' ', (byte) 'u');
        escapes['\b'] = 'b';
        escapes['\t'] = 't';
        escapes['\n'] = 'n';
        escapes['\f'] = 'f';
        escapes['\r'] = 'r';
        escapes['"'] = '"';
        escapes['\\'] = '\\';
        return escapes;
    }

    @Override
    public void write(byte[] key, byte[] value) throws IOException {
        if (encoding == Encoding.UTF8) {
            requireText(key, key, true);
            requireText(key, value, false);
        }
        field(keys, key);
        field(values, value);
        append(END);
    }

    private void requireText(byte[] key, byte[] bytes, boolean isKey) {
        if (!texts.isUtf8(bytes)) {
            throw new NotTextException(key, isKey);
        }
    }

    private void field(Names names, byte[] bytes) throws IOException {
        Encoding given = encoding;
        boolean mayBeText = given == null || given == Encoding.UTF8;
        if (mayBeText && bytes.length <= PIECE_BYTES && plain(names, bytes)) {
            return;
        }
        switch (given != null ? given : JsonBytes.readable(texts, bytes)) {
            case UTF8 -> {
                append(names.utf8);
                for (int at = 0; at < bytes.length; at += PIECE_BYTES) {
                    escaped(bytes, at, Math.min(at + PIECE_BYTES, bytes.length));
                }
            }
            case HEX -> {
                append(names.hex);
                for (int at = 0; at < bytes.length; at += PIECE_BYTES) {
                    int end = Math.min(at + PIECE_BYTES, bytes.length);
                    append(ascii(HexFormat.of().formatHex(bytes, at, end)));
                }
            }
            case BASE64 -> {
                append(names.base64);
                Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
                for (int at = 0; at < bytes.length; at += PIECE_BYTES) {
                    append(encoder.encode(Arrays.copyOfRange(bytes, at, Math.min(at + PIECE_BYTES, bytes.length))));
                }
            }
        }
        ensure(1);
        buffer[size++] = '"';
    }

    /** Writes text that has only ASCII and no escapes. Writes nothing, and returns false, if there is another byte. */
    private boolean plain(Names names, byte[] bytes) throws IOException {
        int other = 0;
        for (byte b : bytes) {
            other |= b | (ESCAPES[b & 0xFF] << 8);
        }
        if ((other & ~0x7F) != 0) {
            return false;
        }
        int front = names.utf8.length;
        ensure(front + bytes.length + 1);
        System.arraycopy(names.utf8, 0, buffer, size, front);
        System.arraycopy(bytes, 0, buffer, size + front, bytes.length);
        size += front + bytes.length;
        buffer[size++] = '"';
        return true;
    }

    private void escaped(byte[] utf8, int from, int to) throws IOException {
        ensure(ESCAPE_BYTES * (to - from));
        for (int i = from; i < to; i++) {
            byte b = utf8[i];
            byte escape = ESCAPES[b & 0xFF];
            if (escape == 0) {
                buffer[size++] = b;
                continue;
            }
            buffer[size++] = '\\';
            buffer[size++] = escape;
            if (escape == 'u') {
                buffer[size++] = '0';
                buffer[size++] = '0';
                buffer[size++] = HEX_DIGITS[b >> 4];
                buffer[size++] = HEX_DIGITS[b & 0xF];
            }
        }
    }

    private void append(byte[] bytes) throws IOException {
        ensure(bytes.length);
        System.arraycopy(bytes, 0, buffer, size, bytes.length);
        size += bytes.length;
    }

    private void ensure(int more) throws IOException {
        if (BUFFER_BYTES - size < more) {
            flush();
        }
    }

    private void flush() throws IOException {
        out.write(buffer, 0, size);
        size = 0;
    }

    @Override
    public void end(long count) throws IOException {
        append(ascii("{\"end\":true,\"count\":" + count + "}\n"));
        flush();
        out.flush();
    }
}
