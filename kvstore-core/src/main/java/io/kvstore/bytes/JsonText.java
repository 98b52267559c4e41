package io.kvstore.bytes;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * Gathers text of JSON as UTF-8, without an object for each string. Most strings have no letter that is escaped, and are copied
 * as they are. The caller writes the quotes around a string. For use by one thread.
 */
public final class JsonText {

    /** The longest escape of a byte. */
    private static final int ESCAPE_BYTES = 6;

    /** Room behind a long string for the end of its line. Without it the string would be copied once more. */
    private static final int SPARE_BYTES = 64;

    private static final byte[] NONE = {};
    private static final byte[] HEX_DIGITS = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    /** By byte: 0 if a string of JSON has it as it is, else the letter of its escape, or {@code u}. */
    private static final byte[] ESCAPES = escapes();

    private final int keptBytes;
    private byte[] text = NONE;
    private int size;

    /** @param keptBytes the memory that is taken at the first addition, and kept; longer text takes more until it is moved */
    public JsonText(int keptBytes) {
        this.keptBytes = keptBytes;
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

    /** How much longer a part of a text is as a string of JSON, without the quotes around it. */
    static long extraBytes(byte[] utf8, int from, int to) {
        long extra = 0;
        for (int i = from; i < to; i++) {
            byte escape = ESCAPES[utf8[i] & 0xFF];
            extra += escape == 0 ? 0 : escape == 'u' ? ESCAPE_BYTES - 1 : 1;
        }
        return extra;
    }

    /** The bytes that were gathered. */
    public int size() {
        return size;
    }

    /** The memory that the text takes, with the room for more. */
    public int heldBytes() {
        return text.length;
    }

    /** Adds bytes as they are. */
    public void add(byte[] utf8) {
        ensure(utf8.length);
        System.arraycopy(utf8, 0, text, size, utf8.length);
        size += utf8.length;
    }

    /**
     * Adds {@code front}, and then a part of a string that has only ASCII and no escapes: the remaining bytes of a buffer,
     * whose position stays. Adds nothing, and returns false, if there is another byte.
     */
    public boolean addPlain(byte[] front, ByteBuffer bytes) {
        int length = bytes.remaining();
        ensure(front.length + length);
        byte[] into = text;
        int at = size + front.length;
        int end = at + length;
        bytes.get(bytes.position(), into, at, length);
        int other = 0;
        for (int i = at; i < end; i++) {
            byte b = into[i];
            other |= b | (ESCAPES[b & 0xFF] << 8);
        }
        if ((other & ~0x7F) != 0) {
            return false;
        }
        System.arraycopy(front, 0, into, size, front.length);
        size = end;
        return true;
    }

    /** Adds a part of a text as a part of a string. */
    public void addEscaped(byte[] utf8, int from, int to) {
        int length = to - from;
        if (text.length - size < (long) ESCAPE_BYTES * length) {
            ensure(Math.toIntExact(length + extraBytes(utf8, from, to)));
        }
        byte[] into = text;
        int at = size;
        for (int i = from; i < to; i++) {
            byte b = utf8[i];
            byte escape = ESCAPES[b & 0xFF];
            if (escape == 0) {
                into[at++] = b;
                continue;
            }
            into[at++] = '\\';
            into[at++] = escape;
            if (escape == 'u') {
                into[at++] = '0';
                into[at++] = '0';
                into[at++] = HEX_DIGITS[b >> 4];
                into[at++] = HEX_DIGITS[b & 0xF];
            }
        }
        size = at;
    }

    /** Adds two hexadecimal digits for each byte of a part of an array. */
    public void addHex(byte[] bytes, int from, int to) {
        add(HexFormat.of().formatHex(bytes, from, to).getBytes(StandardCharsets.US_ASCII));
    }

    /** Adds a part of an array as base64 with the URL alphabet and no padding. */
    public void addBase64(byte[] bytes, int from, int to) {
        ByteBuffer part = ByteBuffer.wrap(bytes, from, to - from);
        add(Base64.getUrlEncoder().withoutPadding().encode(part).array());
    }

    /** Writes the gathered text, and forgets it. */
    public void moveTo(OutputStream out) throws IOException {
        out.write(text, 0, size);
        size = 0;
        if (text.length > keptBytes) {
            text = NONE; // a long string has passed
        }
    }

    private void ensure(int more) {
        if (text.length - size < more) {
            int grown = Math.max(text.length + (text.length >> 1), keptBytes);
            text = Arrays.copyOf(text, Math.max(size + more + SPARE_BYTES, grown));
        }
    }
}
