package io.kvstore.hash;

import io.kvstore.testkit.FullHeapContract;
import io.kvstore.testkit.StoreScenario;

/** Stores with hash tables in a process whose heap is full now and then. */
final class HashFullHeapTest extends FullHeapContract {

    @Override
    protected StoreScenario.Engine engine() {
        return HashScenarios.CROWDED;
    }
}
