package io.kvstore.engine;

import java.util.List;

/**
 * The figures of one table, from its engine.
 *
 * @param entries keys with a value, estimated
 * @param memoryBytes memory held outside the heap
 * @param diskBytes bytes of the table's files
 * @param durableLsn the table's files hold every operation up to this lsn
 * @param measures figures that only this engine has
 */
public record EngineStats(long entries, long memoryBytes, long diskBytes, long durableLsn, List<Measure> measures) {

    /**
     * A figure that only this engine has.
     *
     * @param name lower case with underscores, the unit last, such as {@code level0_files}
     * @param value the value now
     * @param help one sentence that explains the figure
     */
    public record Measure(String name, double value, String help) {}
}
