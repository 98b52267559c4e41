package io.kvstore.bplus;

import io.kvstore.testkit.FileSystemContract;
import io.kvstore.testkit.StoreScenario;

/** Stores with B+tree tables in other file systems. */
final class BPlusFileSystemTest extends FileSystemContract {

    @Override
    protected StoreScenario.Engine engine() {
        return BPlusScenarios.LEAST_ORDER;
    }
}
