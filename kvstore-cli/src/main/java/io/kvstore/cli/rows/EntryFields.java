package io.kvstore.cli.rows;

import io.kvstore.bytes.TextCheck;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** One JSON object in a line, whose bytes have the form that those of entries have. */
public final class EntryFields {

    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final JsonGenerator json =
            JsonFactory.builder().build().createGenerator(ObjectWriteContext.empty(), text, JsonEncoding.UTF8);
    private final TextCheck texts = new TextCheck();

    /** Begins the object. */
    public EntryFields() {
        json.writeStartObject();
    }

    public void text(String name, String value) {
        json.writeStringProperty(name, value);
    }

    public void number(String name, long value) {
        json.writeNumberProperty(name, value);
    }

    public void number(String name, double value) {
        json.writeNumberProperty(name, value);
    }

    public void flag(String name, boolean value) {
        json.writeBooleanProperty(name, value);
    }

    /** Adds texts by name as an object. */
    public void texts(String name, Map<String, String> values) {
        json.writeObjectPropertyStart(name);
        values.forEach(json::writeStringProperty);
        json.writeEndObject();
    }

    /** Adds bytes as text if they are readable text, and as base64 otherwise. */
    public void bytes(String name, byte[] value) {
        JsonBytes.write(json, name, value, JsonBytes.readable(texts, value));
    }

    /** Ends the object, and returns its line. */
    public String end() {
        json.writeEndObject();
        json.close();
        return text.toString(StandardCharsets.UTF_8);
    }
}
