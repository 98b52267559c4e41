package io.kvstore.server.http.message;

import io.kvstore.server.edge.ProblemException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parameters of a request. Each must be known to its route and given at most once. */
public final class Query {

    private final Map<String, byte[]> values = new HashMap<>();

    /**
     * @param raw the query as it was sent
     * @param known the names that the route takes
     */
    Query(String raw, Set<String> known) {
        for (String part : raw.split("&", -1)) {
            if (!part.isEmpty()) {
                add(part, known);
            }
        }
    }

    private void add(String part, Set<String> known) {
        int equals = part.indexOf('=');
        String written = equals < 0 ? part : part.substring(0, equals);
        String name = Percent.text(Percent.queryBytes(written, "a parameter name"), "a parameter name");
        if (!known.contains(name)) {
            throw ProblemException.invalid("there is no parameter \"" + name + "\" here; "
                    + (known.isEmpty() ? "none is taken" : "those taken are " + String.join(", ", sorted(known))));
        }
        byte[] value = equals < 0 ? new byte[0] : Percent.queryBytes(part.substring(equals + 1), name);
        if (values.put(name, value) != null) {
            throw ProblemException.invalid("the parameter " + name + " is given twice");
        }
    }

    private static Iterable<String> sorted(Set<String> names) {
        return names.stream().sorted().toList();
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** A parameter's bytes, or null. */
    byte @Nullable [] bytes(String name) {
        return values.get(name);
    }

    /** A parameter's text, or null. */
    public @Nullable String text(String name) {
        byte[] value = values.get(name);
        return value == null ? null : Percent.text(value, name);
    }

    /** A switch. It is false if it is absent, and true if it has no value. */
    public boolean flag(String name) {
        String text = text(name);
        if (text == null || text.equals("false")) {
            return false;
        }
        if (text.isEmpty() || text.equals("true")) {
            return true;
        }
        throw ProblemException.invalid(name + " is \"" + text + "\"; give true or false");
    }

    /** A whole number from 1 to {@code max}, or {@code byDefault} if it is absent. */
    public long number(String name, long byDefault, long max) {
        String text = text(name);
        if (text == null) {
            return byDefault;
        }
        if (text.matches("[0-9]{1,18}")) {
            long value = Long.parseLong(text);
            if (value >= 1 && value <= max) {
                return value;
            }
        }
        throw ProblemException.invalid(name + " is \"" + text + "\"; give a whole number from 1 to " + max);
    }
}
