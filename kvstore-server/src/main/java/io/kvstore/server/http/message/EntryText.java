package io.kvstore.server.http.message;

import io.kvstore.bytes.JsonText;
import io.kvstore.bytes.TextCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Gathers the fields of entries as JSON in the form that a request asked for, without an object for each entry. The last quote
 * of a field is the caller's. Used by one thread at a time.
 */
final class EntryText {

    /** A value of at least this size becomes text part by part. */
    static final int LONG_VALUE_BYTES = 64 << 10;

    private static final byte[] KEY = ascii("{\"key");
    private static final byte[] VALUE = ascii("\",\"value");
    private static final byte[] TEXT = ascii("\":\"");
    private static final byte[] BASE64 = ascii("_b64\":\"");
    private static final byte[] HEX = ascii("_hex\":\"");

    /** The bytes of a long value that become text at a time. A multiple of three, so that base64 has no padding within. */
    private static final int PART_BYTES = 48 << 10;

    private final KeyEncoding encoding;
    private final TextCheck texts = new TextCheck();
    private final JsonText gathered;

    /** @param keptBytes the memory that is kept for the text; see {@link JsonText} */
    EntryText(KeyEncoding encoding, int keptBytes) {
        this.encoding = encoding;
        this.gathered = new JsonText(keptBytes);
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The bytes that were gathered. */
    int size() {
        return gathered.size();
    }

    /** Adds bytes as they are. */
    void add(byte[] utf8) {
        gathered.add(utf8);
    }

    /** Writes the text that was gathered, and forgets it. */
    void moveTo(OutputStream out) throws IOException {
        gathered.moveTo(out);
    }

    /** Begins an object with the field of its key. */
    void begin(byte[] key) {
        gathered.add(KEY);
        field(ByteBuffer.wrap(key));
    }

    /** Ends the key and adds the field of a value. */
    void value(ByteBuffer value) {
        gathered.add(VALUE);
        field(value);
    }

    /** Ends the key and begins the field of a long value, whose text the caller adds part by part. */
    Parts longValue(byte[] value) {
        boolean isUnreadable = encoding == KeyEncoding.TEXT && !texts.isReadable(value);
        KeyEncoding form = isUnreadable ? KeyEncoding.BASE64URL : encoding;
        gathered.add(VALUE);
        gathered.add(front(form));
        return new Parts(value, form);
    }

    /** A long value that becomes text part by part, so that the text takes little memory beside the value. */
    final class Parts {

        private final byte[] value;
        private final KeyEncoding form;
        private int at;

        private Parts(byte[] value, KeyEncoding form) {
            this.value = value;
            this.form = form;
        }

        /** Adds the text of the next part. Returns false if there is none. */
        boolean addNext() {
            if (at == value.length) {
                return false;
            }
            int to = Math.min(value.length, at + PART_BYTES);
            string(form, value, at, to);
            at = to;
            return true;
        }
    }

    /** Adds the end of a field's name and the string after it, but for the last quote. */
    private void field(ByteBuffer bytes) {
        if (encoding == KeyEncoding.TEXT && gathered.addPlain(TEXT, bytes)) {
            return;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        boolean isUnreadable = encoding == KeyEncoding.TEXT && !texts.isReadable(copy);
        KeyEncoding form = isUnreadable ? KeyEncoding.BASE64URL : encoding;
        gathered.add(front(form));
        string(form, copy, 0, copy.length);
    }

    private static byte[] front(KeyEncoding form) {
        return switch (form) {
            case TEXT -> TEXT;
            case BASE64URL -> BASE64;
            case HEX -> HEX;
        };
    }

    private void string(KeyEncoding form, byte[] bytes, int from, int to) {
        switch (form) {
            case TEXT -> gathered.addEscaped(bytes, from, to);
            case BASE64URL -> gathered.addBase64(bytes, from, to);
            case HEX -> gathered.addHex(bytes, from, to);
        }
    }
}
