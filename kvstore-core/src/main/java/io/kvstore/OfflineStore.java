package io.kvstore;

import io.kvstore.data.Durability;
import io.kvstore.durability.DamagedStore;
import io.kvstore.durability.OpenStore;
import io.kvstore.durability.Recovery;
import io.kvstore.durability.StorageErrors;
import io.kvstore.durability.StoreSetup;
import io.kvstore.engine.Findings;
import io.kvstore.error.Closing;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.file.Path;

/** A store that is read as far as it is whole. Nothing is written, and nobody else may write it meanwhile. */
record OfflineStore(OpenStore parts, MachineMemory.Share memory, DamagedStore damaged, String where)
        implements AutoCloseable {

    /**
     * Opens what is whole of a store.
     *
     * @param losses gets what is damaged or missing
     * @throws io.kvstore.error.InvalidRequestException if the directory was never a store
     * @throws io.kvstore.error.StoreLockedException if the store is open for writing
     */
    static OfflineStore open(Path directory, Findings losses) {
        try {
            return open(RealStorage.forReading(directory), directory.toString(), losses);
        } catch (IOException e) {
            throw StorageErrors.of("opening the store in " + directory, e);
        }
    }

    static OfflineStore open(Storage storage, String where, Findings losses) {
        KVStoreOptions options = KVStoreOptions.defaults();
        MachineMemory.Share memory = MachineMemory.OF_PROCESS.take(0);
        DamagedStore damaged = new DamagedStore(storage, losses);
        try {
            StoreSetup setup = new StoreSetup(
                    storage,
                    EngineRegistry.load().byName(),
                    Durability.SYNC,
                    options.log().syncIntervalMillis(),
                    options.maxBatchBytes(),
                    options.stallTimeoutMillis(),
                    true,
                    memory.bytes(),
                    memory.mappableBytes(),
                    options.log().segmentBytes(),
                    options.log().checkpointBytes(),
                    options.log().checkpointIntervalMillis(),
                    options.seams().clock(),
                    null,
                    damaged,
                    () -> {});
            return new OfflineStore(Recovery.open(setup), memory, damaged, where);
        } catch (IOException e) {
            memory.close();
            throw StorageErrors.of("opening the store in " + where, e);
        } catch (Throwable e) {
            memory.close();
            throw e;
        }
    }

    Findings losses() {
        return damaged.losses();
    }

    @Override
    public void close() {
        try (Closing closing = new Closing("the store in " + where + " could not be closed")) {
            closing.attempt(parts);
            closing.attempt(memory);
        } catch (IOException e) {
            throw StorageErrors.of("closing the store in " + where, e);
        }
    }
}
