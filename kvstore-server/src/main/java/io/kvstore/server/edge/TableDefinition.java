package io.kvstore.server.edge;

import io.kvstore.Table;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;

/**
 * The definition of a table that a client asks for.
 *
 * @param engine the engine's name as the store writes it
 * @param options parameters by name, as text
 */
public record TableDefinition(String engine, Map<String, String> options) {

    private static final int MAX_OPTIONS = 64;
    private static final int MAX_CHARS = 256;

    /** @throws ProblemException if there are more options than a table can have, or an option is longer than any option is */
    public TableDefinition {
        engine = engine.toUpperCase(Locale.ROOT);
        check(options);
        options = Map.copyOf(options);
    }

    /** Refuses more options than a table can have, and longer ones than any is. */
    static void check(Map<String, String> options) {
        if (options.size() > MAX_OPTIONS) {
            throw ProblemException.invalid(
                    "there are " + options.size() + " options; a table has at most " + MAX_OPTIONS);
        }
        options.forEach((name, value) -> {
            if (name.length() > MAX_CHARS || value.length() > MAX_CHARS) {
                throw ProblemException.invalid(
                        "the name or value of an option has more than " + MAX_CHARS + " characters");
            }
        });
    }

    Properties asProperties() {
        return asProperties(options);
    }

    static Properties asProperties(Map<String, String> options) {
        Properties properties = new Properties();
        properties.putAll(options);
        return properties;
    }

    /** Whether a table has this engine and all the given options. */
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
