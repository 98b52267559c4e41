package io.kvstore;

import com.sun.management.OperatingSystemMXBean;
import io.kvstore.durability.StoreSetup;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/** Turns options into what the store's parts are set up with. */
final class StoreOpening {

    private static final long LEAST_DEFAULT_MEMORY_BYTES = 64L << 20;

    private StoreOpening() {}

    static StoreSetup setup(Path directory, KVStoreOptions options, EngineRegistry engines) throws IOException {
        Storage given = options.storage();
        if (given == null && options.readOnly() && !directory.toFile().isDirectory()) {
            throw new InvalidRequestException(directory + " does not exist, and read-only creates nothing");
        }
        return new StoreSetup(
                given != null ? given : new RealStorage(directory),
                engines.byName(),
                options.durability(),
                options.syncIntervalMillis(),
                options.stallTimeoutMillis(),
                options.readOnly(),
                options.memoryBytes() > 0
                        ? options.memoryBytes()
                        : Math.max(LEAST_DEFAULT_MEMORY_BYTES, bytesBesideHeap() / 4),
                bytesBesideHeap() / 2,
                options.walSegmentBytes(),
                options.checkpointLogBytes(),
                options.checkpointIntervalMillis(),
                options.clock(),
                options.background());
    }

    /** What the machine, or the container, leaves beside the heap. */
    private static long bytesBesideHeap() {
        long machine =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        return Math.max(0, machine - Runtime.getRuntime().maxMemory());
    }
}
