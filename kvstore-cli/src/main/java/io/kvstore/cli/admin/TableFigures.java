package io.kvstore.cli.admin;

import java.util.Map;

/** Figures of a table by their names. */
final class TableFigures {

    private TableFigures() {}

    /** Keys that have a value, estimated. */
    static long entries(Map<String, Double> numbers) {
        return number(numbers, "engine.entries");
    }

    /** Bytes of the table's files. */
    static long diskBytes(Map<String, Double> numbers) {
        return number(numbers, "engine.diskBytes");
    }

    /** Bytes of memory outside the heap. */
    static long memoryBytes(Map<String, Double> numbers) {
        return number(numbers, "engine.memoryBytes");
    }

    private static long number(Map<String, Double> numbers, String name) {
        return numbers.getOrDefault(name, 0.0).longValue();
    }
}
