package io.kvstore.bplus;

import io.kvstore.testkit.FullHeapContract;
import io.kvstore.testkit.StoreScenario;

/** Stores with B+tree tables in a process whose heap is full now and then. */
final class BPlusFullHeapTest extends FullHeapContract {

    @Override
    protected StoreScenario.Engine engine() {
        return BPlusScenarios.EIGHT_PAGES;
    }
}
