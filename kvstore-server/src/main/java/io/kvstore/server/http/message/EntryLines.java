package io.kvstore.server.http.message;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Gathers entries as lines of JSON, see {@link EntryText}. Used by one thread at a time. */
public final class EntryLines {

    /** A value of at least this size is not gathered, but written by {@link #writeLong}. */
    public static final int LONG_VALUE_BYTES = EntryText.LONG_VALUE_BYTES;

    private static final byte[] END = EntryText.ascii("\"}\n");

    private final EntryText lines;

    public EntryLines(KeyEncoding encoding) {
        this.lines = new EntryText(encoding, 2 * Limits.STREAM_CHUNK_BYTES);
    }

    /** The bytes that were gathered. */
    public int size() {
        return lines.size();
    }

    /** Adds the line of an entry, without a value if that is null. */
    public void add(byte[] key, @Nullable ByteBuffer value) {
        lines.begin(key);
        if (value != null) {
            lines.value(value);
        }
        lines.add(END);
    }

    /** Adds a line that is no entry. */
    public void add(Object last) {
        lines.add(Json.bytes(last));
    }

    /**
     * Writes the lines that were gathered, and then the line of an entry with a long value. Text is made of a part of the value
     * at a time, so the line takes little memory beside the value.
     */
    public void writeLong(byte[] key, byte[] value, OutputStream out) throws IOException {
        lines.begin(key);
        EntryText.Parts parts = lines.longValue(value);
        while (parts.addNext()) {
            lines.moveTo(out);
        }
        lines.add(END);
        lines.moveTo(out);
    }

    /** Writes the lines that were gathered, and forgets them. */
    public void moveTo(OutputStream out) throws IOException {
        lines.moveTo(out);
    }
}
