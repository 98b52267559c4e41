package io.kvstore.data;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The parameters of one table in canonical form. Every one that the table knows has a value, given or default. Immutable.
 *
 * @param asMap the values by name, sorted
 */
public record TableProperties(SortedMap<String, String> asMap) {

    /** The name of the parameter behind {@link #valueThresholdBytes()}. */
    public static final String VALUE_THRESHOLD_BYTES = "VALUE_THRESHOLD_BYTES";

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
            throw new IllegalStateException("no parameter " + name + " among " + asMap.keySet());
        }
        return value;
    }

    /** A parameter declared as a whole number. */
    public long wholeNumber(String name) {
        return Long.parseLong(text(name));
    }

    /** A parameter declared as a fraction. */
    public double fraction(String name) {
        return Double.parseDouble(text(name));
    }

    /** A parameter declared as a flag. */
    public boolean flag(String name) {
        return Boolean.parseBoolean(text(name));
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
