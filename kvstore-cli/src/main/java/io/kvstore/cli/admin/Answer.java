package io.kvstore.cli.admin;

import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.Printable;
import io.kvstore.cli.rows.EntryFields;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Fields of one thing, in their order: lines for people, or a JSON object. */
final class Answer {

    private static final long LARGEST_EXACT = 1L << 53;

    private final Map<String, Object> fields = new LinkedHashMap<>();

    /** Adds a field: a text, a number, or texts by name. */
    Answer with(String name, Object value) {
        fields.put(name, value);
        return this;
    }

    /** The text that is printed. */
    String text(boolean isJson) {
        return isJson ? json() : table();
    }

    private String table() {
        Map<String, String> lines = new LinkedHashMap<>();
        fields.forEach((name, value) -> {
            switch (value) {
                case Map<?, ?> texts -> new TreeMap<>(texts).forEach((key, text) -> lines.put("" + key, "" + text));
                case Long number -> lines.put(name, Figures.count(number));
                case Double number -> lines.put(name, figure(number));
                default -> lines.put(name, value.toString());
            }
        });
        int width = lines.keySet().stream().mapToInt(String::length).max().orElse(0);
        StringBuilder table = new StringBuilder();
        lines.forEach((name, text) -> table.append(Printable.line(name))
                .repeat(' ', width - name.length() + 2)
                .append(Printable.line(text))
                .append('\n'));
        return table.toString();
    }

    private static String figure(double number) {
        return isWhole(number) ? Figures.count((long) number) : Double.toString(number);
    }

    private static boolean isWhole(double number) {
        return number == Math.rint(number) && Math.abs(number) <= LARGEST_EXACT;
    }

    private String json() {
        EntryFields json = new EntryFields();
        fields.forEach((name, value) -> {
            switch (value) {
                case Map<?, ?> texts -> {
                    Map<String, String> sorted = new TreeMap<>();
                    texts.forEach((key, text) -> sorted.put("" + key, "" + text));
                    json.texts(name, sorted);
                }
                case Boolean flag -> json.flag(name, flag);
                case Long number -> json.number(name, number);
                case Double number when isWhole(number) -> json.number(name, number.longValue());
                case Double number -> json.number(name, number);
                default -> json.text(name, value.toString());
            }
        });
        return json.end() + "\n";
    }
}
