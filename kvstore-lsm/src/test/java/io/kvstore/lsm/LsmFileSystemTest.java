package io.kvstore.lsm;

import io.kvstore.testkit.FileSystemContract;
import io.kvstore.testkit.StoreScenario;

/** Stores with LSM tables in other file systems. */
final class LsmFileSystemTest extends FileSystemContract {

    @Override
    protected StoreScenario.Engine engine() {
        return LsmScenarios.TINY;
    }
}
