package io.kvstore.testkit;

import java.util.List;
import java.util.Map;

/** Long histories of stores whose tables keep no order of keys, and of such tables beside others. */
final class UnorderedModelHistoryTest extends HistoryContract {

    @Override
    protected List<StoreScenario> scenarios() {
        return StoreScenario.grid(
                new StoreScenario.Engine(UnorderedModelEngineProvider.NAME, Map.of()),
                new StoreScenario.Engine("MODEL", Map.of()));
    }

    @Override
    protected int leastOperations() {
        return 20_000;
    }
}
