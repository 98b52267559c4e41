package io.kvstore.engine;

import java.util.List;

/**
 * What an engine knows of one table.
 *
 * @param entries keys with a value, estimated
 * @param memoryBytes memory held outside the heap
 * @param diskBytes bytes of its files
 * @param durableLsn up to where its files hold every operation
 * @param measures what is particular to the engine
 */
public record EngineStats(long entries, long memoryBytes, long diskBytes, long durableLsn, List<Measure> measures) {

    /**
     * A figure of the engine's own.
     *
     * @param name lower case with underscores, the unit last, such as {@code level0_files}
     * @param value the value now
     * @param help one sentence
     */
    public record Measure(String name, double value, String help) {}
}
