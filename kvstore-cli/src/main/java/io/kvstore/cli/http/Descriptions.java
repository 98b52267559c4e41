package io.kvstore.cli.http;

import io.kvstore.client.ClientEntry;
import io.kvstore.client.EntryPage;
import io.kvstore.client.OperationResult.Finding;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.ServerDescription;
import io.kvstore.client.Statistics;
import io.kvstore.client.TableDescription;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Turns the documents of answers into the types of the client. */
final class Descriptions {

    private static final Pattern NEXT_WORD = Pattern.compile("_([a-z0-9])");
    private static final Pattern SNAKE = Pattern.compile("[a-z0-9]+(?:_[a-z0-9]+)+");

    private Descriptions() {}

    static List<String> names(JsonNode document, String field) {
        List<String> names = new ArrayList<>();
        Answer.field(document, field).forEach(name -> names.add(name.asString()));
        return names;
    }

    static ServerDescription server(JsonNode document) {
        JsonNode limits = Answer.field(document, "limits");
        return new ServerDescription(
                Answer.field(document, "version").asString(),
                names(document, "engines"),
                Answer.field(document, "durability").asString(),
                limits.path("key_bytes").asInt(0),
                limits.path("value_bytes").asLong(0),
                Exchange.MOST_ANSWER_BYTES,
                limits.path("batch_items").asInt(1));
    }

    static TableDescription table(JsonNode document) {
        Map<String, String> options = new TreeMap<>();
        Answer.field(document, "options")
                .properties()
                .forEach(
                        option -> options.put(option.getKey(), option.getValue().asString()));
        return new TableDescription(
                Answer.field(document, "database").asString(),
                Answer.field(document, "name").asString(),
                Answer.field(document, "id").asInt(),
                Answer.field(document, "engine").asString(),
                document.path("ordered").asBoolean(true),
                Map.copyOf(options));
    }

    static EntryPage page(JsonNode document, ScanOptions options) {
        List<ClientEntry> entries = new ArrayList<>();
        for (JsonNode entry : Answer.field(document, "entries")) {
            entries.add(entry(entry, options));
        }
        JsonNode cursor = document.path("next_cursor");
        return new EntryPage(entries, cursor.isString() ? Answer.bytes(cursor) : null);
    }

    /** A value that the caller does not want because of its size has come all the same, and is told by its size. */
    private static ClientEntry entry(JsonNode entry, ScanOptions options) {
        byte[] key = Answer.bytes(Answer.field(entry, "key_b64"));
        byte[] value = value(entry);
        return value != null && options.maxValueBytes() >= 0 && value.length > options.maxValueBytes()
                ? new ClientEntry(key, null, value.length)
                : new ClientEntry(key, value, -1);
    }

    private static byte @Nullable [] value(JsonNode entry) {
        JsonNode value = entry.get("value_b64");
        return value == null ? null : Answer.bytes(value);
    }

    static List<byte @Nullable []> values(JsonNode document) {
        List<byte @Nullable []> values = new ArrayList<>();
        for (JsonNode entry : Answer.field(document, "entries")) {
            values.add(value(entry));
        }
        return values;
    }

    static List<Finding> findings(JsonNode document) {
        List<Finding> findings = new ArrayList<>();
        for (JsonNode finding : document.path("findings")) {
            String file = finding.path("file").asString("");
            long offset = finding.path("offset").asLong(-1);
            String place = offset < 0 ? file : file + " at " + offset;
            findings.add(new Finding(place, finding.path("message").asString("")));
        }
        return findings;
    }

    /** Statistics as two flat maps, with the names that Thrift has. */
    static Statistics statistics(JsonNode document) {
        Map<String, Double> numbers = new TreeMap<>();
        Map<String, String> texts = new TreeMap<>();
        add("", document, numbers, texts);
        return new Statistics(Collections.unmodifiableMap(numbers), Collections.unmodifiableMap(texts));
    }

    /** As Thrift gives them: an element with a name and a value goes by its name, any other by its number. */
    private static void add(String place, JsonNode figure, Map<String, Double> numbers, Map<String, String> texts) {
        if (figure.isObject()) {
            figure.properties()
                    .forEach(part -> add(join(place, camel(part.getKey())), part.getValue(), numbers, texts));
        } else if (figure.isArray()) {
            for (int i = 0; i < figure.size(); i++) {
                JsonNode element = figure.get(i);
                boolean isNamed = element.path("name").isString() && element.has("value");
                add(
                        join(place, isNamed ? element.get("name").asString() : Integer.toString(i)),
                        isNamed ? element.get("value") : element,
                        numbers,
                        texts);
            }
        } else if (figure.isNumber()) {
            numbers.put(place, figure.asDouble());
        } else if (figure.isBoolean()) {
            numbers.put(place, figure.asBoolean() ? 1.0 : 0.0);
        } else if (figure.isString()) {
            texts.put(place, figure.asString());
        }
    }

    private static String join(String place, String name) {
        return place.isEmpty() ? name : place + "." + name;
    }

    /** HTTP writes names with underscores, Thrift with capitals. */
    private static String camel(String name) {
        return SNAKE.matcher(name).matches()
                ? NEXT_WORD.matcher(name).replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT))
                : name;
    }
}
