package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.io.MemoryStorage;
import io.kvstore.io.Storage;
import java.util.ArrayList;
import java.util.List;

/** The contract of an engine whose files are in memory, and which leaves nothing there. */
public abstract class InMemoryEngineContract extends OrderedEngineContract {

    private static final long LIMIT_BYTES = 512L << 20;

    private final List<MemoryStorage> storages = new ArrayList<>();

    @Override
    protected final Storage storage() {
        MemoryStorage storage = new MemoryStorage(LIMIT_BYTES);
        storages.add(storage);
        return storage;
    }

    @Override
    final void afterClosing() {
        for (MemoryStorage storage : storages) {
            storage.close();
            assertEquals(0, storage.usedBytes(), "bytes of files that are closed and deleted");
        }
    }
}
