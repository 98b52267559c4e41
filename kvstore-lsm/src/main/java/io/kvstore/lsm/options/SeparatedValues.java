package io.kvstore.lsm.options;

import io.kvstore.data.KeyHash;
import io.kvstore.engine.TableContext;
import io.kvstore.value.ValueLog;
import io.kvstore.value.index.HashIndex;
import java.io.IOException;
import java.util.function.LongSupplier;

/**
 * The parts that the memtables of a table share for values that are kept apart.
 *
 * @param fromBytes values of at least this number of bytes are kept apart
 * @param log takes the values
 * @param known the places of the newest values of keys, also of values in files
 */
public record SeparatedValues(int fromBytes, ValueLog log, HashIndex known) implements AutoCloseable {

    /** For a table that is opened. In a read-only table all values stay in memory: there are no files to write to. */
    public static SeparatedValues of(TableContext context, LsmOptions options, LongSupplier numbers) {
        return new SeparatedValues(
                context.readOnly() ? Integer.MAX_VALUE : options.valueThresholdBytes(),
                new ValueLog(context, options.growingSegmentBytes(), numbers),
                new HashIndex(context.memory(), options.memTableBytes(), new KeyHash(context.seed())));
    }

    @Override
    public void close() throws IOException {
        try (log) {
            known.close();
        }
    }
}
