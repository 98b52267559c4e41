package io.kvstore.cli.rows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Entries as lines of JSON. The last line of an export of the HTTP API says how many entries there are, and is held against
 * those that came. Another export may follow.
 */
final class NdjsonSource implements RowSource {

    private static final int LEAST_CHARS = 64 << 10;

    private final LineReader lines;
    private final PresentRow row;
    private final boolean isOfEntries;
    private final RowForm form;
    private final Map<String, RowForm.Part> parts;
    private final JsonFactory json;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    private CharBuffer text = CharBuffer.allocate(LEAST_CHARS);

    /** The number of entries since the last line that ended an export. */
    private long exported;

    private boolean isAnythingRead;

    NdjsonSource(LineReader lines, RowForm form) {
        this.lines = lines;
        this.row = new PresentRow(form);
        this.isOfEntries = form.isOfEntries();
        this.form = form;
        this.parts = form.parts();
        this.json = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(Integer.MAX_VALUE) // the line has a bound
                        .build())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
    }

    @Override
    public boolean next() throws IOException {
        while (lines.next()) {
            if (!lines.isBlank()) {
                row.begin(lines.number());
                isAnythingRead = true;
                if (parse()) {
                    exported++;
                    return true;
                }
            }
        }
        if (!isAnythingRead) {
            throw new BadRowException(
                    1,
                    "there are no rows; a table that is to have none is made of the line"
                            + " {\"end\":true,\"count\":0}");
        }
        return false;
    }

    @Override
    public byte[] key() {
        return row.key();
    }

    @Override
    public byte[] value() {
        return row.value();
    }

    @Override
    public long line() {
        return row.line();
    }

    /** Reads the line. Returns false if it ends an export. */
    private boolean parse() {
        CharBuffer chars = decoded();
        try (JsonParser parser = json.createParser(ObjectReadContext.empty(), chars.array(), 0, chars.remaining())) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw row.bad(
                        "the line is no JSON object; give {\"" + form.key() + "\":...,\"" + form.value() + "\":...}");
            }
            LastLine last = new LastLine();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                field(parser, last);
            }
            if (parser.nextToken() != null) {
                throw row.bad("something follows the JSON object; give each row a line of its own");
            }
            if (last.isGiven) {
                endExport(last);
                return false;
            }
            row.requireBoth();
            return true;
        } catch (JacksonException e) {
            throw row.bad("column " + e.getLocation().getColumnNr() + ": " + firstLine(e)
                    + "; give one whole JSON object in each line");
        }
    }

    private CharBuffer decoded() {
        if (text.capacity() < lines.length()) {
            text = CharBuffer.allocate(lines.length());
        }
        text.clear();
        decoder.reset();
        if (decoder.decode(ByteBuffer.wrap(lines.array(), lines.start(), lines.length()), text, true)
                .isError()) {
            throw row.bad("the line is not valid UTF-8; write the text as UTF-8, and bytes as hex or base64");
        }
        return text.flip();
    }

    private void field(JsonParser parser, LastLine last) {
        String name = parser.currentName();
        JsonToken type = parser.nextToken();
        RowForm.Part part = parts.get(name);
        if (part != null) {
            take(name, part, type, parser);
        } else if (isOfEntries && last.take(name, type, parser)) {
            parser.skipChildren();
        } else if (isOfEntries) {
            throw row.bad("there is no field " + name + " in an entry; leave it out, or name the fields with --key and"
                    + " --value");
        } else {
            parser.skipChildren();
        }
    }

    private void take(String name, RowForm.Part part, JsonToken type, JsonParser parser) {
        if (type != JsonToken.VALUE_STRING) {
            throw row.bad(name + " is " + kind(type) + "; give a string");
        }
        row.take(part, name, parser.getString());
    }

    private static String kind(JsonToken type) {
        return switch (type) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_NULL -> "null";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            default -> "no string";
        };
    }

    private void endExport(LastLine last) {
        if (!row.isEmpty()) {
            throw row.bad("the line has an entry and the end of an export; give each a line of its own");
        }
        if (!last.isComplete) {
            throw row.bad("the export was not complete: its last line says that it failed; export again");
        }
        if (last.count != exported) {
            throw row.bad("the export ends here with " + last.count + " entries, and " + exported
                    + " have come; export again");
        }
        exported = 0;
    }

    /** The first line of the message, without the library's description of the source. */
    private static String firstLine(JacksonException e) {
        String message = e.getOriginalMessage();
        int end = message.indexOf('\n');
        String first = end < 0 ? message : message.substring(0, end);
        int source = first.indexOf(" (start marker at [Source");
        int at = source < 0 ? first.indexOf(" at [Source") : source;
        return at < 0 ? first : first.substring(0, at);
    }

    /** The fields of the last line of an export. */
    private static final class LastLine {

        private boolean isGiven;
        private boolean isComplete;
        private long count = -1;

        /** Takes a field. Returns false if no last line has it. */
        boolean take(String name, JsonToken type, JsonParser parser) {
            switch (name) {
                case "end" -> {
                    isGiven = true;
                    isComplete = type == JsonToken.VALUE_TRUE;
                }
                case "count" -> count = type == JsonToken.VALUE_NUMBER_INT ? parser.getLongValue() : -1;
                case "error" -> isComplete = false;
                default -> {
                    return false;
                }
            }
            return true;
        }
    }
}
