package io.kvstore.server.edge;

import io.kvstore.Table;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;

/**
 * What a client wants a table to be.
 *
 * @param engine the engine's name as the store writes it
 * @param options parameters by name, as text
 */
public record TableDefinition(String engine, Map<String, String> options) {

    public TableDefinition {
        engine = engine.toUpperCase(Locale.ROOT);
        options = Map.copyOf(options);
    }

    Properties asProperties() {
        Properties properties = new Properties();
        properties.putAll(options);
        return properties;
    }

    /** Whether a table has this engine, and each option that is given. */
    boolean isThatOf(Table table) {
        if (!table.engineName().equals(engine)) {
            return false;
        }
        SortedMap<String, String> present = table.properties().asMap();
        return options.entrySet().stream().allMatch(option -> {
            String text = present.get(option.getKey());
            return text != null && isSame(text, option.getValue());
        });
    }

    private static boolean isSame(String present, String given) {
        if (present.equalsIgnoreCase(given.strip())) {
            return true;
        }
        try {
            return new BigDecimal(present).compareTo(new BigDecimal(given.strip())) == 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
