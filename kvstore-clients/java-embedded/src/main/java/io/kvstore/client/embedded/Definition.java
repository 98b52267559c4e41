package io.kvstore.client.embedded;

import io.kvstore.Table;
import io.kvstore.client.TableDescription;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;

/**
 * The engine and the options of a table that is to be created.
 *
 * @param engine the name of the engine
 * @param options the options that are given; others have their defaults
 */
record Definition(String engine, Map<String, String> options) {

    static TableDescription describe(Table table) {
        return new TableDescription(
                table.database(),
                table.name(),
                table.id(),
                table.engineName().toLowerCase(Locale.ROOT),
                table.isOrdered(),
                Map.copyOf(table.properties().asMap()));
    }

    Properties asProperties() {
        Properties properties = new Properties();
        properties.putAll(options);
        return properties;
    }

    /** Whether a table has this engine and all options that are given. */
    boolean isThatOf(Table table) {
        SortedMap<String, String> present = table.properties().asMap();
        return table.engineName().equalsIgnoreCase(engine)
                && options.entrySet().stream()
                        .allMatch(given -> isSame(
                                present.getOrDefault(given.getKey(), ""),
                                given.getValue().strip()));
    }

    private static boolean isSame(String present, String given) {
        if (present.equalsIgnoreCase(given)) {
            return true;
        }
        try {
            return new BigDecimal(present).compareTo(new BigDecimal(given)) == 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
