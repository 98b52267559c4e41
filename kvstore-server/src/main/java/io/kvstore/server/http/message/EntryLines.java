package io.kvstore.server.http.message;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Gathers entries as lines of JSON, with the bytes that {@link EntryForm} writes, and without an object for each entry. Most
 * text has no letter that is escaped, and is copied as it is. Used by one thread at a time.
 */
public final class EntryLines {

    /** Around a key and a value: names, quotes, braces. */
    private static final int FRAME_BYTES = 64;

    private static final int KEPT_BYTES = 2 * Limits.STREAM_CHUNK_BYTES;

    private static final byte[] NONE = {};

    private static final byte[] KEY = ascii("{\"key");
    private static final byte[] VALUE = ascii(",\"value");
    private static final byte[] TEXT = ascii("\":\"");
    private static final byte[] BASE64 = ascii("_b64\":\"");
    private static final byte[] HEX = ascii("_hex\":\"");
    private static final byte[] END = ascii("}\n");
    private static final byte[] HEX_DIGITS = ascii("0123456789ABCDEF");

    /** By byte: 0 if a string of JSON has it as it is, else the letter of its escape, or {@code u}. */
    private static final byte[] ESCAPES = escapes();

    private final KeyEncoding encoding;
    private final EntryForm form;
    private byte[] lines = NONE;
    private int size;

    public EntryLines(KeyEncoding encoding) {
        this.encoding = encoding;
        this.form = new EntryForm(encoding);
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

    /** The most memory that the line of a value takes beside the value itself. */
    public static long mostBytes(int valueBytes) {
        return 5L * valueBytes;
    }

    /** The bytes that were gathered. */
    public int size() {
        return size;
    }

    /** The memory that the lines take, with the room for others. */
    public int heldBytes() {
        return lines.length;
    }

    /** Adds the line of an entry, without a value if that is null. */
    public void add(byte[] key, @Nullable ByteBuffer value) {
        append(KEY);
        field(ByteBuffer.wrap(key));
        if (value != null) {
            append(VALUE);
            field(value);
        }
        append(END);
    }

    /** Adds a line that is no entry. */
    public void add(Object last) {
        append(Json.bytes(last));
    }

    /** Writes the lines that were gathered, and forgets them. */
    public void moveTo(OutputStream out) throws IOException {
        out.write(lines, 0, size);
        size = 0;
        if (lines.length > KEPT_BYTES) {
            lines = NONE; // a long value has passed
        }
    }

    private void field(ByteBuffer bytes) {
        switch (encoding) {
            case TEXT -> {
                if (!plain(bytes)) {
                    byte[] copy = copy(bytes);
                    if (form.isText(copy)) {
                        append(TEXT);
                        escaped(copy);
                    } else {
                        base64(copy);
                    }
                }
            }
            case BASE64URL -> base64(copy(bytes));
            case HEX -> {
                append(HEX);
                append(ascii(HexFormat.of().formatHex(copy(bytes))));
            }
        }
        ensure(1);
        lines[size++] = '"';
    }

    private static byte[] copy(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        return copy;
    }

    /** Adds text that has only ASCII and no escapes. Adds nothing to the lines, and returns false, if there is another byte. */
    private boolean plain(ByteBuffer bytes) {
        int length = bytes.remaining();
        ensure(length + FRAME_BYTES);
        byte[] into = lines;
        int at = size + TEXT.length;
        bytes.get(bytes.position(), into, at, length);
        int other = 0;
        for (int i = at; i < at + length; i++) {
            byte b = into[i];
            other |= b | (ESCAPES[b & 0xFF] << 8);
        }
        if ((other & ~0x7F) != 0) {
            return false;
        }
        append(TEXT);
        size += length;
        return true;
    }

    private void base64(byte[] bytes) {
        append(BASE64);
        append(Base64.getUrlEncoder().withoutPadding().encode(bytes));
    }

    private void escaped(byte[] utf8) {
        int extra = 0;
        for (byte b : utf8) {
            byte escape = ESCAPES[b & 0xFF];
            extra += escape == 0 ? 0 : escape == 'u' ? 5 : 1;
        }
        ensure(utf8.length + extra);
        for (byte b : utf8) {
            byte escape = ESCAPES[b & 0xFF];
            if (escape == 0) {
                lines[size++] = b;
                continue;
            }
            lines[size++] = '\\';
            lines[size++] = escape;
            if (escape == 'u') {
                lines[size++] = '0';
                lines[size++] = '0';
                lines[size++] = HEX_DIGITS[b >> 4];
                lines[size++] = HEX_DIGITS[b & 0xF];
            }
        }
    }

    private void append(byte[] bytes) {
        ensure(bytes.length);
        System.arraycopy(bytes, 0, lines, size, bytes.length);
        size += bytes.length;
    }

    private void ensure(int more) {
        if (lines.length - size < more) {
            int grown = Math.max(lines.length + (lines.length >> 1), KEPT_BYTES);
            lines = Arrays.copyOf(lines, Math.max(size + more + FRAME_BYTES, grown));
        }
    }
}
