package io.kvstore.cli.rows;

import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** Writes a JSON object in a line for each entry, and a last line that says how many there were, as the HTTP API does. */
public final class NdjsonWriter implements EntryWriter {

    private final JsonGenerator json;
    private final @Nullable Encoding encoding;
    private final Texts texts = new Texts();

    /** @param encoding how bytes are written; null for text where they are readable text, and base64 otherwise */
    public NdjsonWriter(OutputStream out, @Nullable Encoding encoding) {
        this.json = JsonFactory.builder()
                .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
                .rootValueSeparator("\n")
                .build()
                .createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8);
        this.encoding = encoding;
    }

    @Override
    public void write(byte[] key, byte[] value) {
        if (encoding == Encoding.UTF8) {
            requireText(key, key, true);
            requireText(key, value, false);
        }
        json.writeStartObject();
        field(RowForm.OF_ENTRIES.key(), key);
        field(RowForm.OF_ENTRIES.value(), value);
        json.writeEndObject();
    }

    private void requireText(byte[] key, byte[] bytes, boolean isKey) {
        if (!texts.isUtf8(bytes)) {
            throw new NotTextException(key, isKey);
        }
    }

    private void field(String name, byte[] bytes) {
        JsonBytes.write(json, name, bytes, encoding != null ? encoding : JsonBytes.readable(texts, bytes));
    }

    @Override
    public void end(long count) {
        json.writeStartObject();
        json.writeBooleanProperty("end", true);
        json.writeNumberProperty("count", count);
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
    }
}
