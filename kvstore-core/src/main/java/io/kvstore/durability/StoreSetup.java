package io.kvstore.durability;

import io.kvstore.data.Clock;
import io.kvstore.data.Durability;
import io.kvstore.engine.Background;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.Storage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a store is opened. Each figure has the meaning of the option of the same name.
 *
 * @param providers the engines by name
 * @param durability decides how the log's bytes land, where files can be mapped
 * @param mappableBytes the most bytes of immutable files that may be mapped at a time
 * @param background threads and waits; null for threads of the store's own
 * @param damaged gets what damage costs, so that what is whole can be read; null if damage refuses the store
 * @param end closed after everything else, when nobody uses the storage any more
 */
public record StoreSetup(
        Storage storage,
        Map<String, TableEngineProvider> providers,
        Durability durability,
        long syncIntervalMillis,
        long maxBatchBytes,
        long stallTimeoutMillis,
        boolean readOnly,
        long memoryBytes,
        long mappableBytes,
        long walSegmentBytes,
        long checkpointLogBytes,
        long checkpointIntervalMillis,
        Clock clock,
        @Nullable Background background,
        @Nullable DamagedStore damaged,
        AutoCloseable end) {

    /** Gets damage that is passed over; null if damage refuses the store. */
    @Nullable
    Findings losses() {
        return damaged == null ? null : damaged.losses();
    }

    /** Whether the file system of the store maps files. */
    boolean canMap() {
        return !storage.missingAbilities().contains(FileSystemAbility.MAPPED_FILES);
    }

    /** The most bytes of all log files. A checkpoint has half of {@code checkpointLogBytes} and two segments to be ready in. */
    long logLimitBytes() {
        long withHalf = checkpointLogBytes + checkpointLogBytes / 2;
        return withHalf < 0 ? Long.MAX_VALUE : Math.max(withHalf, withHalf + 2 * walSegmentBytes);
    }
}
