package io.kvstore.testkit;

import java.util.Map;

/** Stores with the engine of the test kit in other file systems. */
final class ModelFileSystemTest extends FileSystemContract {

    @Override
    protected StoreScenario.Engine engine() {
        return new StoreScenario.Engine("MODEL", Map.of());
    }
}
