package io.kvstore.cli.session;

import java.util.Map;

/** Figures of a table by their names. */
public final class TableFigures {

    private TableFigures() {}

    /** Keys that have a value, estimated. */
    public static long entries(Map<String, Double> numbers) {
        return number(numbers, "engine.entries");
    }

    /** Bytes of the table's files. */
    public static long diskBytes(Map<String, Double> numbers) {
        return number(numbers, "engine.diskBytes");
    }

    /** Bytes of memory outside the heap. */
    public static long memoryBytes(Map<String, Double> numbers) {
        return number(numbers, "engine.memoryBytes");
    }

    private static long number(Map<String, Double> numbers, String name) {
        return numbers.getOrDefault(name, 0.0).longValue();
    }
}
