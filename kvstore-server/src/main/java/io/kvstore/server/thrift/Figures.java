package io.kvstore.server.thrift;

import io.kvstore.thrift.Stats;
import java.util.HashMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Statistics as two flat maps: what is at {@code a.b} of the JSON that HTTP answers has the name {@code a.b} here. */
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

    /** What has a name and a value of its own goes by its name, other elements by their number. */
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
