package io.kvstore.data;

import io.kvstore.error.CorruptionException;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The parameters of one table in canonical form. Every one that the table knows has a value, given or default. Immutable.
 *
 * <p>Whoever creates a table is refused a wrong value. So a value that cannot be read, or is missing, was read from a damaged
 * catalog: asking for it ends in a {@link CorruptionException}.
 *
 * @param asMap the values by name, sorted
 */
public record TableProperties(SortedMap<String, String> asMap) {

    /** The name of the parameter behind {@link #valueThresholdBytes()}. */
    public static final String VALUE_THRESHOLD_BYTES = "VALUE_THRESHOLD_BYTES";

    private static final String DURABILITY = "DURABILITY";

    /** The name of the parameter behind {@link #isTemporary()}. */
    public static final String TEMPORARY = "TEMPORARY";

    public TableProperties {
        asMap = Collections.unmodifiableSortedMap(new TreeMap<>(asMap));
    }

    public TableProperties(Map<String, String> values) {
        this(new TreeMap<>(values));
    }

    /** These parameters, with the values of another table where both have a parameter. */
    public TableProperties withSharedOf(TableProperties other) {
        SortedMap<String, String> values = new TreeMap<>(asMap);
        values.replaceAll((name, value) -> other.asMap.getOrDefault(name, value));
        return new TableProperties(values);
    }

    public String text(String name) {
        String value = asMap.get(name);
        if (value == null) {
            throw corrupt("has no parameter " + name + ", but " + asMap.keySet());
        }
        return value;
    }

    private static CorruptionException corrupt(String what) {
        return new CorruptionException("CATALOG", -1, "a table " + what);
    }

    private CorruptionException unreadable(String name) {
        return corrupt("has a parameter " + name + " that cannot be read: " + text(name));
    }

    /** A parameter declared as a whole number. */
    public long wholeNumber(String name) {
        try {
            return Long.parseLong(text(name));
        } catch (NumberFormatException e) {
            throw unreadable(name);
        }
    }

    /** A parameter declared as a fraction. */
    public double fraction(String name) {
        try {
            return Double.parseDouble(text(name));
        } catch (NumberFormatException e) {
            throw unreadable(name);
        }
    }

    /** A parameter declared as a flag. */
    public boolean flag(String name) {
        return Boolean.parseBoolean(text(name));
    }

    /** How durable the table's writes are, unless one says so itself. */
    public Durability durability() {
        try {
            return Durability.valueOf(text(DURABILITY));
        } catch (IllegalArgumentException e) {
            throw unreadable(DURABILITY);
        }
    }

    /** Values of at least this number of bytes are kept apart from the index. Every table has this parameter. */
    public int valueThresholdBytes() {
        return (int) wholeNumber(VALUE_THRESHOLD_BYTES);
    }

    /** Whether the table goes when its store is closed. Tables that are older than this parameter do not. */
    public boolean isTemporary() {
        return Boolean.parseBoolean(asMap.get(TEMPORARY));
    }

    @Override
    public String toString() {
        return asMap.toString();
    }
}
