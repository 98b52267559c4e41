package io.kvstore.testkit;

import io.kvstore.Table;
import io.kvstore.engine.EngineStats;
import java.util.Objects;

/** Reads a figure out of what an engine says of itself; a name that no figure has is an error of the test. */
public final class Measures {

    private Measures() {}

    /** A figure of a table's engine. */
    public static double of(Table table, String name) {
        return of(Objects.requireNonNull(table.stats().engine()), name);
    }

    /** A figure of an engine. */
    public static double of(EngineStats stats, String name) {
        return stats.measures().stream()
                .filter(measure -> measure.name().equals(name))
                .mapToDouble(EngineStats.Measure::value)
                .findFirst()
                .orElseThrow();
    }
}
