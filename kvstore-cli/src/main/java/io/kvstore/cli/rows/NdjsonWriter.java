package io.kvstore.cli.rows;

import io.kvstore.bytes.JsonText;
import io.kvstore.bytes.TextCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes a JSON object in a line for each entry, and a last line that says how many there were, as the HTTP API does. Bytes
 * that are longer than a piece are written piece by piece.
 */
public final class NdjsonWriter implements EntryWriter {

    private static final int BUFFER_BYTES = 128 << 10;

    /** A multiple of three, so that the base64 of pieces is that of the whole. */
    private static final int PIECE_BYTES = 6 << 10;

    private static final byte[] END = ascii("\"}\n");

    private final OutputStream out;
    private final @Nullable Encoding encoding;
    private final TextCheck texts = new TextCheck();
    private final Names keys = Names.of("{\"" + RowForm.OF_ENTRIES.key());
    private final Names values = Names.of("\",\"" + RowForm.OF_ENTRIES.value());

    /** Behind a full buffer there is room for a piece, each byte of which is escaped, and for names. */
    private final JsonText lines = new JsonText(BUFFER_BYTES + 7 * PIECE_BYTES);

    /** The name of a field by the encoding of its bytes, with all that stands in front of these. */
    private record Names(byte[] utf8, byte[] hex, byte[] base64) {

        static Names of(String name) {
            return new Names(of(name, Encoding.UTF8), of(name, Encoding.HEX), of(name, Encoding.BASE64));
        }

        private static byte[] of(String name, Encoding encoding) {
            return ascii(name + encoding.suffix() + "\":\"");
        }

        byte[] of(Encoding encoding) {
            return switch (encoding) {
                case UTF8 -> utf8;
                case HEX -> hex;
                case BASE64 -> base64;
            };
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

    @Override
    public void write(byte[] key, byte[] value) throws IOException {
        if (encoding == Encoding.UTF8) {
            requireText(key, key, true);
            requireText(key, value, false);
        }
        field(keys, key);
        field(values, value);
        lines.add(END);
    }

    private void requireText(byte[] key, byte[] bytes, boolean isKey) {
        if (!texts.isUtf8(bytes)) {
            throw new NotTextException(key, isKey);
        }
    }

    /** Adds a field, but for the last quote. */
    private void field(Names names, byte[] bytes) throws IOException {
        moveIfFull();
        Encoding given = encoding;
        boolean mayBeText = given == null || given == Encoding.UTF8;
        if (mayBeText && bytes.length <= PIECE_BYTES && lines.addPlain(names.utf8, ByteBuffer.wrap(bytes))) {
            return;
        }
        Encoding chosen = given != null ? given : JsonBytes.readable(texts, bytes);
        lines.add(names.of(chosen));
        for (int at = 0; at < bytes.length; at += PIECE_BYTES) {
            moveIfFull();
            int end = Math.min(at + PIECE_BYTES, bytes.length);
            switch (chosen) {
                case UTF8 -> lines.addEscaped(bytes, at, end);
                case HEX -> lines.addHex(bytes, at, end);
                case BASE64 -> lines.addBase64(bytes, at, end);
            }
        }
    }

    private void moveIfFull() throws IOException {
        if (lines.size() >= BUFFER_BYTES) {
            lines.moveTo(out);
        }
    }

    @Override
    public void end(long count) throws IOException {
        lines.add(ascii("{\"end\":true,\"count\":" + count + "}\n"));
        lines.moveTo(out);
        out.flush();
    }
}
