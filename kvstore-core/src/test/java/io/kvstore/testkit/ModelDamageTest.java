package io.kvstore.testkit;

import java.util.List;
import java.util.Map;

/** Damage of stores on the engine of the test kit: catalog, log, and a table file of one piece. */
final class ModelDamageTest extends StoreDamageContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(new StoreScenario.Engine("MODEL", Map.of()));
    }

    @Override
    protected int mostFlips() {
        return 12_000;
    }
}
