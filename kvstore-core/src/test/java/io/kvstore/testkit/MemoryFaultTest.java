package io.kvstore.testkit;

import io.kvstore.data.Durability;
import java.util.List;
import java.util.Map;

/** Failing storage under stores on the engine of the test kit. */
final class MemoryFaultTest extends FaultContract {

    private static final StoreScenario.Engine MEMORY = new StoreScenario.Engine("MEMORY", Map.of());

    @Override
    protected List<StoreScenario> scenarios() {
        return List.of(StoreScenario.of(Durability.BUFFERED, MEMORY));
    }
}
