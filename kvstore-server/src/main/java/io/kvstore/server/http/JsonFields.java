package io.kvstore.server.http;

import io.kvstore.Keys;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the fields of one JSON object; what is missing, of the wrong type or unknown is named with its place. */
final class JsonFields {

    private final JsonNode object;
    private final String where;
    private final Set<String> read = new HashSet<>();

    /** @param where the place of the object, such as {@code mutations[3]}; empty for the document */
    JsonFields(JsonNode node, String where) {
        if (!node.isObject()) {
            throw ProblemException.invalid(
                    (where.isEmpty() ? "the body" : where) + " is " + kind(node) + "; give an object");
        }
        this.object = node;
        this.where = where;
    }

    /** The place of a field. */
    String place(String name) {
        return where.isEmpty() ? name : where + "." + name;
    }

    /** A field of any type, JSON null included; Java null when it is not there. */
    @Nullable
    JsonNode any(String name) {
        read.add(name);
        return object.get(name);
    }

    /** A field that may be left out. */
    @Nullable
    String optionalText(String name) {
        JsonNode node = any(name);
        return node == null ? null : string(node, place(name));
    }

    String text(String name) {
        String text = optionalText(name);
        if (text == null) {
            throw ProblemException.invalid(place(name) + " is missing");
        }
        return text;
    }

    /** An array of at most {@code max} items; empty when it is not there. */
    List<JsonNode> array(String name, int max) {
        JsonNode node = any(name);
        if (node == null) {
            return List.of();
        }
        if (!node.isArray()) {
            throw ProblemException.invalid(place(name) + " is " + kind(node) + "; give an array");
        }
        if (node.size() > max) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.TOO_MANY_ITEMS,
                    place(name) + " has " + node.size() + " items; at most " + max + " are taken",
                    max,
                    node.size()));
        }
        List<JsonNode> items = new ArrayList<>(node.size());
        node.forEach(items::add);
        return items;
    }

    /** The bytes of {@code name}, as text, or of {@code name_b64}: one of the two. */
    byte[] bytes(String name) {
        String text = optionalText(name);
        String base64 = optionalText(name + "_b64");
        if ((text == null) == (base64 == null)) {
            throw ProblemException.invalid("give either " + place(name) + " or " + place(name + "_b64"));
        }
        return text != null ? utf8(text, place(name)) : KeyEncoding.ofBase64(base64, place(name + "_b64"));
    }

    /** Refuses fields that were not read. */
    void end() {
        for (String name : object.propertyNames()) {
            if (!read.contains(name)) {
                throw ProblemException.invalid("there is no field " + place(name) + "; those known are "
                        + String.join(", ", read.stream().sorted().toList()));
            }
        }
    }

    /** The bytes of a key: a string, or an object with {@code key} or {@code key_b64}. */
    static byte[] key(JsonNode node, String where) {
        if (node.isString()) {
            return utf8(node.stringValue(), where);
        }
        JsonFields fields = new JsonFields(node, where);
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

    private static String string(JsonNode node, String where) {
        if (!node.isString()) {
            throw ProblemException.invalid(where + " is " + kind(node) + "; give a string");
        }
        return node.stringValue();
    }

    /** What a node is, in words. */
    static String kind(JsonNode node) {
        if (node.isObject()) {
            return "an object";
        }
        if (node.isArray()) {
            return "an array";
        }
        if (node.isString()) {
            return "a string";
        }
        if (node.isNumber()) {
            return "a number";
        }
        return node.isNull() ? "null" : "true or false";
    }
}
