package io.kvstore;

import io.kvstore.durability.StoreSetup;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.MemoryStorage;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import io.kvstore.io.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The storage of a store, and the owner that gives it up when the store is closed.
 *
 * @param end closed after everything else of the store
 */
record StoreHome(Storage storage, AutoCloseable end) {

    /** Finds the home of a store when it is opened. */
    @FunctionalInterface
    interface Finder {
        StoreHome find(KVStoreOptions options, MachineMemory machine) throws IOException;
    }

    /** A directory of the user's, or the storage of a test. It stays when the store is closed. */
    static Finder in(Path directory) {
        return (options, machine) -> {
            Storage given = options.seams().storage();
            if (given == null) {
                given = options.readOnly() ? RealStorage.forReading(directory) : new RealStorage(directory);
            }
            return new StoreHome(given, () -> {});
        };
    }

    /** Memory outside the heap. It is given back when the store is closed. */
    static StoreHome inMemory(KVStoreOptions options, MachineMemory machine) {
        requireNew(options, "a store in memory");
        MachineMemory.Share share = machine.takeForFiles(options.memory().storageBytes());
        MemoryStorage storage = new MemoryStorage(share.bytes());
        return new StoreHome(storage, () -> {
            try (share) {
                storage.close();
            }
        });
    }

    /** A new directory, deleted when the store is closed. */
    static StoreHome temporary(KVStoreOptions options, MachineMemory machine) throws IOException {
        requireNew(options, "a temporary store");
        TemporaryDirectory directory = TemporaryDirectory.make();
        return new StoreHome(directory.files(), directory);
    }

    /** What a store in this home is opened with. */
    StoreSetup setup(KVStoreOptions options, EngineRegistry engines, MachineMemory.Share memory) {
        return new StoreSetup(
                storage,
                engines.byName(),
                options.durability(),
                options.log().syncIntervalMillis(),
                options.maxBatchBytes(),
                options.stallTimeoutMillis(),
                options.readOnly(),
                memory.bytes(),
                memory.mappableBytes(),
                options.log().segmentBytes(),
                options.log().checkpointBytes(),
                options.log().checkpointIntervalMillis(),
                options.seams().clock(),
                options.seams().background(),
                null,
                end);
    }

    private static void requireNew(KVStoreOptions options, String what) {
        if (options.readOnly()) {
            throw new InvalidRequestException(
                    "readOnly is true, but " + what + " is empty when it is opened; leave readOnly false");
        }
        if (options.seams().storage() != null) {
            throw new InvalidRequestException(
                    "the options name a storage, but " + what + " has one of its own; leave the storage out");
        }
    }
}
