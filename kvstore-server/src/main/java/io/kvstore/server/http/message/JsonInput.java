package io.kvstore.server.http.message;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The tokens of one document. The present token begins a value. A method that reads a value makes the value's last token the
 * present one. Nothing is kept, so the cost of a document depends on its reader.
 */
public final class JsonInput {

    private final JsonParser parser;

    JsonInput(JsonParser parser) {
        this.parser = parser;
    }

    /** Reads the value of a field. */
    public interface FieldReader {
        /** @param name the field's name; the present token is the first of the field's value */
        void read(String name);
    }

    /** Reads an item of an array. */
    public interface ItemReader {
        /** @param where the item's place, such as {@code keys[3]} */
        void read(String where);
    }

    /** Reads an object field by field. */
    public void object(String where, FieldReader reader) {
        if (!is(JsonToken.START_OBJECT)) {
            throw wrongType(where, "an object");
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            reader.read(name);
        }
    }

    /** Reads an array item by item. Refuses it at the first item beyond {@code max}. */
    public void array(String where, int max, ItemReader reader) {
        if (!is(JsonToken.START_ARRAY)) {
            throw wrongType(where, "an array");
        }
        for (int count = 0; parser.nextToken() != JsonToken.END_ARRAY; count++) {
            if (count == max) {
                throw new ProblemException(Problem.beyond(
                        ProblemCode.TOO_MANY_ITEMS,
                        where + " has more than " + max + " items; at most " + max + " are taken",
                        max,
                        max + 1L));
            }
            reader.read(where + "[" + count + "]");
        }
    }

    /** Reads a string. */
    public String string(String where) {
        if (!is(JsonToken.VALUE_STRING)) {
            throw wrongType(where, "a string");
        }
        return parser.getString();
    }

    /** Whether the present value is a string. */
    boolean isString() {
        return is(JsonToken.VALUE_STRING);
    }

    /** Reads an object whose values have no parts: text, numbers, true, false, null. */
    public JsonFields fields(String where) {
        JsonFields fields = new JsonFields(where);
        object(where, name -> field(fields, name));
        return fields;
    }

    /** Reads the value of a field and adds it to an object's fields. */
    public void field(JsonFields fields, String name) {
        if (parser.currentToken().isStructStart()) {
            throw wrongType(fields.place(name), "a string");
        }
        fields.add(name, parser.currentToken(), parser.getString());
    }

    private boolean is(JsonToken token) {
        return parser.currentToken() == token;
    }

    private ProblemException wrongType(String where, String wanted) {
        return ProblemException.invalid(
                (where.isEmpty() ? "the body" : where) + " is " + kind(parser.currentToken()) + "; give " + wanted);
    }

    /** The kind of a value, in words. */
    static String kind(JsonToken token) {
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            case VALUE_NULL -> "null";
            default -> "true or false";
        };
    }
}
