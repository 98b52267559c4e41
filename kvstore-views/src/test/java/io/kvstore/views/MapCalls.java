package io.kvstore.views;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentNavigableMap;
import org.jspecify.annotations.Nullable;

/** Calls of a map, to be made on two maps with the same numbers. */
final class MapCalls {

    /** Keys are from minus this to this. */
    private static final int KEYS = 40;

    private static final int VALUES = 5;

    /** One call. */
    @FunctionalInterface
    interface Call {
        @Nullable
        Object on(ConcurrentNavigableMap<Integer, Integer> map, SplittableRandom random);
    }

    /** A call that gives another map. */
    @FunctionalInterface
    interface Derivation {
        ConcurrentNavigableMap<Integer, Integer> of(
                ConcurrentNavigableMap<Integer, Integer> map, SplittableRandom random);
    }

    private MapCalls() {}

    private static int key(SplittableRandom random) {
        return random.nextInt(-KEYS, KEYS);
    }

    private static int value(SplittableRandom random) {
        return random.nextInt(VALUES);
    }

    /** What a function makes of a value: now and then, nothing. */
    private static @Nullable Integer next(int value) {
        return value % VALUES == 0 ? null : value + 1;
    }

    static List<Derivation> derivations() {
        return List.of(
                (map, random) -> map.descendingMap(),
                (map, random) -> map.subMap(key(random), key(random)),
                (map, random) -> map.headMap(key(random)),
                (map, random) -> map.tailMap(key(random)),
                (map, random) -> map.subMap(key(random), random.nextBoolean(), key(random), random.nextBoolean()),
                (map, random) -> map.headMap(key(random), random.nextBoolean()),
                (map, random) -> map.tailMap(key(random), random.nextBoolean()));
    }

    static List<Call> reads() {
        return List.of(
                (map, random) -> map.get(key(random)),
                (map, random) -> map.getOrDefault(key(random), -1),
                (map, random) -> map.containsKey(key(random)),
                (map, random) -> map.containsValue(value(random)),
                (map, random) -> map.firstKey(),
                (map, random) -> map.lastKey(),
                (map, random) -> map.firstEntry(),
                (map, random) -> map.lastEntry(),
                (map, random) -> map.lowerKey(key(random)),
                (map, random) -> map.floorKey(key(random)),
                (map, random) -> map.ceilingKey(key(random)),
                (map, random) -> map.higherKey(key(random)),
                (map, random) -> map.lowerEntry(key(random)),
                (map, random) -> map.floorEntry(key(random)),
                (map, random) -> map.ceilingEntry(key(random)),
                (map, random) -> map.higherEntry(key(random)),
                (map, random) -> map.size(),
                (map, random) -> map.isEmpty(),
                (map, random) -> map.hashCode(),
                (map, random) -> List.copyOf(map.descendingKeySet()),
                (map, random) -> List.copyOf(map.values()),
                (map, random) -> map.keySet().stream().sorted().toList(),
                (map, random) -> map.keySet().lower(key(random)),
                (map, random) -> map.entrySet().contains(Map.entry(key(random), value(random))),
                (map, random) -> List.copyOf(map.keySet().subSet(key(random), true, key(random), true)),
                (map, random) -> List.copyOf(map.keySet().headSet(key(random))),
                (map, random) ->
                        List.copyOf(map.keySet().tailSet(key(random), false).descendingSet()));
    }

    static List<Call> changes() {
        return List.of(
                (map, random) -> map.put(key(random), value(random)),
                (map, random) -> map.put(key(random), value(random)),
                (map, random) -> map.put(key(random), value(random)),
                (map, random) -> map.putIfAbsent(key(random), value(random)),
                (map, random) -> map.remove(key(random)),
                (map, random) -> map.remove(key(random), value(random)),
                (map, random) -> map.replace(key(random), value(random)),
                (map, random) -> map.replace(key(random), value(random), value(random)),
                (map, random) -> map.computeIfAbsent(key(random), Math::abs),
                (map, random) -> map.computeIfPresent(key(random), (key, value) -> next(value)),
                (map, random) -> map.compute(key(random), (key, value) -> value == null ? key : next(value)),
                (map, random) -> map.merge(key(random), value(random), (left, right) -> next(left + right)),
                (map, random) -> map.pollFirstEntry(),
                (map, random) -> map.pollLastEntry(),
                (map, random) -> map.keySet().pollFirst(),
                (map, random) -> map.keySet().remove(key(random)),
                (map, random) -> map.keySet().removeAll(List.of(key(random), key(random))),
                (map, random) -> map.keySet().removeIf(key -> key % 7 == 0),
                (map, random) -> map.values().remove(value(random)),
                (map, random) -> map.entrySet().remove(Map.entry(key(random), value(random))),
                (map, random) -> removed(map.entrySet().iterator(), random.nextInt(4)),
                (map, random) -> removed(map.descendingKeySet().iterator(), random.nextInt(4)),
                MapCalls::replaced);
    }

    /** Walks to an element and removes it. */
    private static <T> @Nullable T removed(Iterator<T> elements, int passed) {
        T element = null;
        for (int i = 0; i <= passed && elements.hasNext(); i++) {
            element = elements.next();
        }
        if (element != null) {
            elements.remove();
        }
        return element;
    }

    private static @Nullable Object replaced(ConcurrentNavigableMap<Integer, Integer> map, SplittableRandom random) {
        int more = value(random);
        map.replaceAll((key, value) -> value + more);
        return null;
    }
}
