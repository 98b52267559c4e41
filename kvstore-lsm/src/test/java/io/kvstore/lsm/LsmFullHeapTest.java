package io.kvstore.lsm;

import io.kvstore.testkit.FullHeapContract;
import io.kvstore.testkit.StoreScenario;

/** Stores with LSM tables in a process whose heap is full now and then. */
final class LsmFullHeapTest extends FullHeapContract {

    @Override
    protected StoreScenario.Engine engine() {
        return LsmScenarios.TINY;
    }
}
