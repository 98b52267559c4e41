package io.kvstore.server.http.message;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes a page as JSON in pieces, so that only one piece of the text is in memory at a time. */
public final class PageWriter implements Reply.PieceWriter {

    private final Page page;
    private final EntryForm form;
    private final Shape shape;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final JsonGenerator json = Json.generator(out);
    private int next;
    private boolean isBegun;
    private boolean isEnded;

    /** The form of an answer: the fields beside the key and the value. */
    sealed interface Shape {}

    /** Each entry says whether it was found. */
    public record OfKeys() implements Shape {}

    /** @param nextCursor the continuation of the next page; null if this is the last page */
    public record OfRange(@Nullable String nextCursor) implements Shape {}

    public PageWriter(Page page, KeyEncoding encoding, Shape shape) {
        this.page = page;
        this.form = new EntryForm(encoding);
        this.shape = shape;
    }

    @Override
    public byte @Nullable [] next() {
        if (isEnded) {
            return null;
        }
        if (!isBegun) {
            json.writeStartObject();
            json.writeArrayPropertyStart("entries");
            isBegun = true;
        }
        while (next < page.entries().size() && out.size() < Limits.STREAM_CHUNK_BYTES) {
            write(page.entries().get(next));
            next++;
        }
        if (next == page.entries().size()) {
            end();
        }
        json.flush();
        byte[] piece = out.toByteArray();
        out.reset();
        return piece;
    }

    @Override
    public boolean isEnded() {
        return isEnded;
    }

    private void write(Page.Entry entry) {
        json.writeStartObject();
        form.writeFields(json, entry.key(), entry.value());
        if (shape instanceof OfKeys) {
            json.writeBooleanProperty("found", entry.value() != null);
        }
        json.writeEndObject();
    }

    private void end() {
        json.writeEndArray();
        if (shape instanceof OfRange range) {
            if (range.nextCursor() == null) {
                json.writeNullProperty("next_cursor");
            } else {
                json.writeStringProperty("next_cursor", range.nextCursor());
            }
        }
        json.writeEndObject();
        json.writeRaw('\n');
        isEnded = true;
    }
}
