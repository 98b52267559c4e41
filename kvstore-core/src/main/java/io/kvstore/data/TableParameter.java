package io.kvstore.data;

import io.kvstore.error.InvalidRequestException;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * A parameter that {@code createTable} accepts: its name, its default, and the check that turns a number, boolean or string
 * into the canonical text kept in the catalog.
 *
 * @param name the name, in capitals, unique among the table's parameters
 * @param defaultValue the canonical default; empty if the store's option decides
 * @param range the accepted values in words, for messages
 * @param canonical parses a given text; throws {@link IllegalArgumentException} if it is not legal or out of range
 * @param isOnline whether the value may change while the table is in use; otherwise it stays as long as the table lives
 */
public record TableParameter(
        String name, String defaultValue, String range, UnaryOperator<String> canonical, boolean isOnline) {

    private TableParameter(String name, String defaultValue, String range, UnaryOperator<String> canonical) {
        this(name, defaultValue, range, canonical, false);
    }

    /** This parameter, as one that may change while the table is in use. */
    public TableParameter online() {
        return new TableParameter(name, defaultValue, range, canonical, true);
    }

    /** A whole number from {@code min} to {@code max}. */
    public static TableParameter wholeNumber(String name, long defaultValue, long min, long max) {
        return new TableParameter(name, Long.toString(defaultValue), min + " to " + max, text -> {
            long value = Long.parseLong(text);
            require(value >= min && value <= max);
            return Long.toString(value);
        });
    }

    /** A number between {@code min} and {@code max}, both exclusive. */
    public static TableParameter fraction(String name, double defaultValue, double min, double max) {
        return new TableParameter(name, Double.toString(defaultValue), "above " + min + " and below " + max, text -> {
            double value = Double.parseDouble(text);
            require(value > min && value < max);
            return Double.toString(value);
        });
    }

    /** {@code true} or {@code false}. */
    public static TableParameter flag(String name, boolean defaultValue) {
        return new TableParameter(name, Boolean.toString(defaultValue), "true or false", text -> {
            String lower = text.toLowerCase(Locale.ROOT);
            require(lower.equals("true") || lower.equals("false"));
            return lower;
        });
    }

    /** One of the given words, in any letter case. */
    public static TableParameter choice(String name, String defaultValue, List<String> words) {
        return new TableParameter(name, defaultValue, String.join(" or ", words), text -> {
            String upper = text.toUpperCase(Locale.ROOT);
            require(words.contains(upper));
            return upper;
        });
    }

    /** A name in any letter case: up to 32 letters, digits and underscores. This class does not know which names exist. */
    public static TableParameter name(String name, String defaultValue) {
        return new TableParameter(name, defaultValue, "a name of up to 32 letters, digits and _", text -> {
            String upper = text.toUpperCase(Locale.ROOT);
            require(upper.matches("[A-Z0-9_]{1,32}"));
            return upper;
        });
    }

    /**
     * The canonical text of a given value.
     *
     * @throws InvalidRequestException if the value is not legal; the message names the parameter and its range
     */
    public String canonicalOf(Object given) {
        if (!(given instanceof String || given instanceof Number || given instanceof Boolean)) {
            throw new InvalidRequestException("parameter " + name + " is a "
                    + given.getClass().getSimpleName() + "; give a number, a boolean or a string");
        }
        try {
            return canonical.apply(given.toString().strip());
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("parameter " + name + " is \"" + given + "\"; give " + range);
        }
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException("out of range");
        }
    }
}
