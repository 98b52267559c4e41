package io.kvstore.testkit;

import io.kvstore.data.Durability;
import java.util.List;
import java.util.Map;

/** Crashes of stores on the engine of the test kit: what they find is in the core. */
final class ModelCrashTest extends CrashContract {

    private static final StoreScenario.Engine MODEL = new StoreScenario.Engine("MODEL", Map.of());

    @Override
    protected List<StoreScenario> scenarios() {
        return List.of(
                StoreScenario.of(Durability.SYNC, MODEL),
                StoreScenario.of(Durability.BUFFERED, MODEL),
                StoreScenario.of(Durability.BUFFERED, MODEL).withSyncInterval(100));
    }

    @Override
    protected int leastImages() {
        return 3_000;
    }
}
