package io.kvstore.server.http.message;

import io.kvstore.Keys;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.server.edge.ProblemException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/**
 * The fields of one JSON object whose values have no parts. Errors name the place of a field that is missing, unknown or of the
 * wrong type.
 */
public final class JsonFields {

    /** The most digits of a number that is written out. */
    private static final int MAX_DIGITS = 40;

    /** The characters of the least number of 64 bits. */
    private static final int LONG_CHARS = 20;

    private final String where;
    private final Map<String, Scalar> fields = new LinkedHashMap<>();
    private final Set<String> read = new HashSet<>();

    private record Scalar(JsonToken type, String text) {}

    /** @param where the place of the object, such as {@code mutations[3]}; empty for the document */
    public JsonFields(String where) {
        this.where = where;
    }

    /** Adds a field. */
    void add(String name, JsonToken type, String text) {
        if (fields.size() == Limits.JSON_FIELDS) {
            throw ProblemException.invalid(
                    (where.isEmpty() ? "the body" : where) + " has more than " + Limits.JSON_FIELDS + " fields");
        }
        fields.put(name, new Scalar(type, text));
    }

    /** The place of a field. */
    public String place(String name) {
        return where.isEmpty() ? name : where + "." + name;
    }

    /** Whether a field exists, with any value. */
    public boolean has(String name) {
        return field(name) != null;
    }

    /** Whether a field exists and is null. */
    public boolean isNull(String name) {
        return is(name, JsonToken.VALUE_NULL);
    }

    /** Whether a field exists and is a string. */
    public boolean isString(String name) {
        return is(name, JsonToken.VALUE_STRING);
    }

    /** Whether a field exists and is true. */
    public boolean isTrue(String name) {
        return is(name, JsonToken.VALUE_TRUE);
    }

    private boolean is(String name, JsonToken type) {
        Scalar field = field(name);
        return field != null && field.type() == type;
    }

    private @Nullable Scalar field(String name) {
        read.add(name);
        return fields.get(name);
    }

    /** The text of a field, or null if the field is missing. */
    @Nullable
    String optionalText(String name) {
        Scalar field = field(name);
        if (field == null) {
            return null;
        }
        if (field.type() != JsonToken.VALUE_STRING) {
            throw ProblemException.invalid(place(name) + " is " + JsonInput.kind(field.type()) + "; give a string");
        }
        return field.text();
    }

    public String text(String name) {
        String text = optionalText(name);
        if (text == null) {
            throw ProblemException.invalid(place(name) + " is missing");
        }
        return text;
    }

    /** The value of a field that must be a whole number of at least 0. */
    public long count(String name) {
        Scalar field = field(name);
        if (field == null || !field.text().matches("[0-9]{1,18}")) {
            throw ProblemException.invalid(place(name) + " is missing or no whole number");
        }
        return Long.parseLong(field.text());
    }

    /** The value of a field that must be a whole number of 64 bits. */
    public long wholeNumber(String name) {
        Scalar field = field(name);
        if (field == null || field.type() != JsonToken.VALUE_NUMBER_INT || !isLong(field.text())) {
            throw ProblemException.invalid(
                    place(name) + " is missing or no whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE);
        }
        return Long.parseLong(field.text());
    }

    private static boolean isLong(String text) {
        return text.length() <= LONG_CHARS && new BigInteger(text).bitLength() < Long.SIZE;
    }

    /**
     * The bytes of {@code name} as text, of {@code name_b64} or of {@code name_hex}. Exactly one of the three must be given.
     */
    public byte[] bytes(String name) {
        String text = optionalText(name);
        String base64 = optionalText(name + "_b64");
        String hex = optionalText(name + "_hex");
        if ((text == null ? 0 : 1) + (base64 == null ? 0 : 1) + (hex == null ? 0 : 1) != 1) {
            throw ProblemException.invalid("give one of "
                    + String.join(", ", List.of(place(name), place(name + "_b64"), place(name + "_hex"))));
        }
        if (text != null) {
            return utf8(text, place(name));
        }
        return hex != null
                ? KeyEncoding.ofHex(hex, place(name + "_hex"))
                : KeyEncoding.ofBase64(base64 == null ? "" : base64, place(name + "_b64"));
    }

    /** All fields as text. A whole number is without exponent and fraction, however it was written. */
    public Map<String, String> asText() {
        Map<String, String> text = new LinkedHashMap<>();
        fields.forEach((name, field) -> {
            if (field.type() == JsonToken.VALUE_NULL) {
                throw ProblemException.invalid(place(name) + " is null; give a number, true, false or a string");
            }
            text.put(name, field.type() == JsonToken.VALUE_NUMBER_FLOAT ? plain(field.text()) : field.text());
        });
        return text;
    }

    private static String plain(String number) {
        try {
            BigDecimal value = new BigDecimal(number).stripTrailingZeros();
            boolean isWhole = value.scale() <= 0 && (long) value.precision() - value.scale() <= MAX_DIGITS;
            return isWhole ? value.toBigIntegerExact().toString() : number;
        } catch (NumberFormatException | ArithmeticException e) {
            return number; // its exponent is beyond 32 bits, and so is the number beyond every option
        }
    }

    /** Refuses fields that were not read. */
    public void end() {
        for (String name : fields.keySet()) {
            if (!read.contains(name)) {
                throw unknown(place(name), read);
            }
        }
    }

    /** The refusal of an unknown field. */
    public static ProblemException unknown(String place, Set<String> known) {
        return ProblemException.invalid("there is no field " + place + "; those known are "
                + String.join(", ", known.stream().sorted().toList()));
    }

    /** Reads the bytes of a key: a string, or an object with {@code key}, {@code key_b64} or {@code key_hex}. */
    public static byte[] key(JsonInput input, String where) {
        if (input.isString()) {
            return utf8(input.string(where), where);
        }
        JsonFields fields = input.fields(where);
        byte[] key = fields.bytes("key");
        fields.end();
        return key;
    }

    private static byte[] utf8(String text, String where) {
        try {
            return Keys.bytes(text);
        } catch (InvalidRequestException e) {
            throw ProblemException.invalid(
                    where + " has half of a surrogate pair; give it in base64 as " + where + "_b64");
        }
    }
}
