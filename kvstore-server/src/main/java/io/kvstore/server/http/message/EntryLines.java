package io.kvstore.server.http.message;

import io.kvstore.bytes.JsonText;
import io.kvstore.bytes.TextCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Gathers entries as lines of JSON, with the bytes that {@link EntryForm} writes, and without an object for each entry. Used by
 * one thread at a time.
 */
public final class EntryLines {

    private static final byte[] KEY = ascii("{\"key");
    private static final byte[] VALUE = ascii("\",\"value");
    private static final byte[] TEXT = ascii("\":\"");
    private static final byte[] BASE64 = ascii("_b64\":\"");
    private static final byte[] HEX = ascii("_hex\":\"");
    private static final byte[] END = ascii("\"}\n");

    private final KeyEncoding encoding;
    private final TextCheck texts = new TextCheck();
    private final JsonText lines = new JsonText(2 * Limits.STREAM_CHUNK_BYTES);

    public EntryLines(KeyEncoding encoding) {
        this.encoding = encoding;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The most memory that the line of a value takes beside the value itself. */
    public static long mostBytes(int valueBytes) {
        return 5L * valueBytes;
    }

    /** The bytes that were gathered. */
    public int size() {
        return lines.size();
    }

    /** The memory that the lines take, with the room for others. */
    public int heldBytes() {
        return lines.heldBytes();
    }

    /** Adds the line of an entry, without a value if that is null. */
    public void add(byte[] key, @Nullable ByteBuffer value) {
        lines.add(KEY);
        field(ByteBuffer.wrap(key));
        if (value != null) {
            lines.add(VALUE);
            field(value);
        }
        lines.add(END);
    }

    /** Adds a line that is no entry. */
    public void add(Object last) {
        lines.add(Json.bytes(last));
    }

    /** Writes the lines that were gathered, and forgets them. */
    public void moveTo(OutputStream out) throws IOException {
        lines.moveTo(out);
    }

    /** Adds the end of a field's name and the string after it, but for the last quote. */
    private void field(ByteBuffer bytes) {
        if (encoding == KeyEncoding.TEXT && lines.addPlain(TEXT, bytes)) {
            return;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        switch (encoding) {
            case TEXT -> {
                if (texts.isReadable(copy)) {
                    lines.add(TEXT);
                    lines.addEscaped(copy, 0, copy.length);
                } else {
                    base64(copy);
                }
            }
            case BASE64URL -> base64(copy);
            case HEX -> {
                lines.add(HEX);
                lines.addHex(copy, 0, copy.length);
            }
        }
    }

    private void base64(byte[] bytes) {
        lines.add(BASE64);
        lines.addBase64(bytes, 0, bytes.length);
    }
}
