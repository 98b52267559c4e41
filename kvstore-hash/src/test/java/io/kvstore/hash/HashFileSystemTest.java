package io.kvstore.hash;

import io.kvstore.testkit.FileSystemContract;
import io.kvstore.testkit.StoreScenario;

/** Stores with hash tables in other file systems. */
final class HashFileSystemTest extends FileSystemContract {

    @Override
    protected StoreScenario.Engine engine() {
        return HashScenarios.CROWDED;
    }
}
