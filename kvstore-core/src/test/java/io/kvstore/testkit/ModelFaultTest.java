package io.kvstore.testkit;

import io.kvstore.data.Durability;
import java.util.List;
import java.util.Map;

/** Failing storage under stores on the engine of the test kit. */
final class ModelFaultTest extends FaultContract {

    private static final StoreScenario.Engine MODEL = new StoreScenario.Engine("MODEL", Map.of());

    @Override
    protected List<StoreScenario> scenarios() {
        return List.of(StoreScenario.of(Durability.BUFFERED, MODEL));
    }
}
