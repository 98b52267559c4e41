package io.kvstore.testkit;

import java.util.List;
import java.util.Map;

/** Long histories of stores on the engine of the test kit. */
final class ModelHistoryTest extends HistoryContract {

    @Override
    protected List<StoreScenario> scenarios() {
        return StoreScenario.grid(new StoreScenario.Engine("MODEL", Map.of()));
    }

    @Override
    protected int leastOperations() {
        return 30_000;
    }
}
