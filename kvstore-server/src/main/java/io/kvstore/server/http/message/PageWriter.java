package io.kvstore.server.http.message;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Writes a page as JSON in pieces, so that only one piece of the text is in memory at a time, also of a long value. */
public final class PageWriter implements Reply.PieceWriter {

    /** The memory that is kept for the text of a small page. */
    private static final int SMALL_BYTES = 4 << 10;

    private static final byte[] BEGIN = EntryText.ascii("{\"entries\":[");
    private static final byte[] COMMA = EntryText.ascii(",");
    private static final byte[] QUOTE = EntryText.ascii("\"");
    private static final byte[] FOUND = EntryText.ascii(",\"found\":true");
    private static final byte[] NOT_FOUND = EntryText.ascii(",\"found\":false");
    private static final byte[] END_OBJECT = EntryText.ascii("}");
    private static final byte[] END_ARRAY = EntryText.ascii("]");
    private static final byte[] END = EntryText.ascii("}\n");

    private final Page page;
    private final EntryText text;
    private final Shape shape;
    private int next;
    private boolean isBegun;
    private boolean isEnded;

    /** The rest of the long value whose text is being made; null between two entries. */
    private EntryText.@Nullable Parts rest;

    /** The form of an answer: the fields beside the key and the value. */
    sealed interface Shape {}

    /** Each entry says whether it was found. */
    public record OfKeys() implements Shape {}

    /** @param nextCursor the continuation of the next page, as base64; null if this is the last page */
    public record OfRange(@Nullable String nextCursor) implements Shape {}

    public PageWriter(Page page, KeyEncoding encoding, Shape shape) {
        this.page = page;
        this.text = new EntryText(
                encoding, page.bytes() < Limits.STREAM_CHUNK_BYTES ? SMALL_BYTES : 2 * Limits.STREAM_CHUNK_BYTES);
        this.shape = shape;
    }

    @Override
    public byte @Nullable [] next() {
        if (isEnded) {
            return null;
        }
        if (!isBegun) {
            text.add(BEGIN);
            isBegun = true;
        }
        while (!isEnded && text.size() < Limits.STREAM_CHUNK_BYTES) {
            step();
        }
        ByteArrayOutputStream piece = new ByteArrayOutputStream(text.size());
        try {
            text.moveTo(piece);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return piece.toByteArray();
    }

    @Override
    public boolean isEnded() {
        return isEnded;
    }

    /** Adds an entry, a part of a long value, or the end. */
    private void step() {
        EntryText.Parts parts = rest;
        if (parts != null) {
            if (!parts.addNext()) {
                rest = null;
                endEntry(true);
            }
        } else if (next < page.entries().size()) {
            if (next > 0) {
                text.add(COMMA);
            }
            begin(page.entries().get(next));
            next++;
        } else {
            end();
        }
    }

    private void begin(Page.Entry entry) {
        byte[] value = entry.value();
        text.begin(entry.key());
        if (value != null && value.length >= EntryText.LONG_VALUE_BYTES) {
            rest = text.longValue(value);
            return;
        }
        if (value != null) {
            text.value(ByteBuffer.wrap(value));
        }
        endEntry(value != null);
    }

    private void endEntry(boolean isFound) {
        text.add(QUOTE);
        if (shape instanceof OfKeys) {
            text.add(isFound ? FOUND : NOT_FOUND);
        }
        text.add(END_OBJECT);
    }

    private void end() {
        text.add(END_ARRAY);
        if (shape instanceof OfRange range) {
            String cursor = range.nextCursor();
            text.add(EntryText.ascii(",\"next_cursor\":" + (cursor == null ? "null" : "\"" + cursor + "\"")));
        }
        text.add(END);
        isEnded = true;
    }
}
