package io.kvstore.client.embedded;

import io.kvstore.client.Statistics;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Statistics as two flat maps. Component b of component a of the record has the name "a.b" in them. */
final class Figures {

    private final Map<String, Double> numbers = new TreeMap<>();
    private final Map<String, String> texts = new TreeMap<>();

    private Figures() {}

    static Statistics of(Record statistics) {
        Figures figures = new Figures();
        figures.add("", statistics);
        return new Statistics(Collections.unmodifiableMap(figures.numbers), Collections.unmodifiableMap(figures.texts));
    }

    private void add(String place, @Nullable Object figure) {
        switch (figure) {
            case null -> {
                // a part that is absent has no statistics
            }
            case Number number -> numbers.put(place, number.doubleValue());
            case Boolean flag -> numbers.put(place, flag ? 1.0 : 0.0);
            case Record part -> {
                for (RecordComponent component : part.getClass().getRecordComponents()) {
                    add(join(place, component.getName()), valueOf(component, part));
                }
            }
            case Map<?, ?> parts -> parts.forEach((name, part) -> add(join(place, String.valueOf(name)), part));
            case List<?> parts -> {
                for (int i = 0; i < parts.size(); i++) {
                    add(join(place, Integer.toString(i)), parts.get(i));
                }
            }
            default -> texts.put(place, figure.toString());
        }
    }

    private static @Nullable Object valueOf(RecordComponent component, Record part) {
        try {
            return component.getAccessor().invoke(part);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("the statistics have a part that is not public: " + component, e);
        }
    }

    private static String join(String place, String name) {
        return place.isEmpty() ? name : place + "." + name;
    }
}
