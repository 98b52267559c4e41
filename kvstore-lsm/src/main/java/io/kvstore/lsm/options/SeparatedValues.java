package io.kvstore.lsm.options;

import io.kvstore.data.KeyHash;
import io.kvstore.engine.MemoryBudget;
import io.kvstore.engine.TableContext;
import io.kvstore.value.GrowingValues;
import io.kvstore.value.HashIndex;
import java.util.function.LongSupplier;

/**
 * What the memtables of a table share for the values that are kept apart.
 *
 * @param fromBytes values of so many bytes and more are
 * @param growing takes them
 * @param known where those of the newest state are, also when files have them
 */
public record SeparatedValues(int fromBytes, GrowingValues growing, HashIndex known) {

    /**
     * Those of a table that is opened. Without files to write to, all values stay in memory.
     *
     * @param numbers of the files that are made
     */
    public static SeparatedValues of(TableContext context, LsmOptions options, LongSupplier numbers) {
        return new SeparatedValues(
                context.readOnly() ? Integer.MAX_VALUE : options.valueThresholdBytes(),
                new GrowingValues(context, options.growingSegmentBytes(), numbers),
                new HashIndex(
                        context.memory(),
                        MemoryBudget.Use.HASH_INDEX,
                        options.memTableBytes(),
                        new KeyHash(context.seed())));
    }
}
