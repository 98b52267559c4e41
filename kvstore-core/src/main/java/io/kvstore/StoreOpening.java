package io.kvstore;

import io.kvstore.durability.StoreSetup;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.file.Path;

/** Turns options into the setup of the store's parts. */
final class StoreOpening {

    private StoreOpening() {}

    static StoreSetup setup(Path directory, KVStoreOptions options, EngineRegistry engines, MachineMemory.Share memory)
            throws IOException {
        Storage given = options.seams().storage();
        if (given == null && options.readOnly() && !directory.toFile().isDirectory()) {
            throw new InvalidRequestException(directory + " does not exist, and read-only creates nothing");
        }
        return new StoreSetup(
                given != null ? given : new RealStorage(directory),
                engines.byName(),
                options.durability(),
                options.log().syncIntervalMillis(),
                options.stallTimeoutMillis(),
                options.readOnly(),
                memory.bytes(),
                memory.mappableBytes(),
                options.log().segmentBytes(),
                options.log().checkpointBytes(),
                options.log().checkpointIntervalMillis(),
                options.seams().clock(),
                options.seams().background());
    }
}
