package io.kvstore.server.edge;

import io.kvstore.Table;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A table as clients see it.
 *
 * @param engine the engine's name, as clients write it
 * @param ordered whether the table keeps its entries in the order of keys; any other table refuses ranges
 * @param options every parameter by name, as a boolean, a number or a text
 */
public record TableDescription(
        String database, String name, int id, String engine, boolean ordered, Map<String, Object> options) {

    /** Describes a table. */
    public static TableDescription of(Table table) {
        Map<String, Object> options = new TreeMap<>();
        table.properties().asMap().forEach((name, text) -> options.put(name, typed(text)));
        return new TableDescription(
                table.database(),
                table.name(),
                table.id(),
                table.engineName().toLowerCase(Locale.ROOT),
                table.isOrdered(),
                Collections.unmodifiableMap(options));
    }

    /** Converts canonical text to a boolean or a number, if it is one. */
    private static Object typed(String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            return text;
        }
    }
}
