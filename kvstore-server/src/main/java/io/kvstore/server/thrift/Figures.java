package io.kvstore.server.thrift;

import io.kvstore.thrift.Stats;
import java.util.HashMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Turns statistics into two flat maps. A figure at {@code a.b} in the JSON of the HTTP edge has the name {@code a.b} here. */
final class Figures {

    private static final JsonMapper MAPPER = new JsonMapper();

    private Figures() {}

    static Stats of(Object statistics) {
        Stats stats = new Stats(new HashMap<>(), new HashMap<>());
        add(stats, "", MAPPER.valueToTree(statistics));
        return stats;
    }

    private static void add(Stats stats, String place, JsonNode node) {
        if (node.isNumber()) {
            stats.putToNumbers(place, node.doubleValue());
        } else if (node.isBoolean()) {
            stats.putToNumbers(place, node.booleanValue() ? 1 : 0);
        } else if (node.isString()) {
            stats.putToTexts(place, node.stringValue());
        } else if (node.isObject()) {
            node.properties().forEach(field -> add(stats, join(place, field.getKey()), field.getValue()));
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                element(stats, place, i, node.get(i));
            }
        }
    }

    /** Adds an element of an array. An element with a name and a value goes by its name, any other by its number. */
    private static void element(Stats stats, String place, int index, JsonNode element) {
        if (element.path("name").isString() && element.has("value")) {
            add(stats, join(place, element.get("name").stringValue()), element.get("value"));
        } else {
            add(stats, join(place, Integer.toString(index)), element);
        }
    }

    private static String join(String place, String name) {
        return place.isEmpty() ? name : place + "." + name;
    }
}
