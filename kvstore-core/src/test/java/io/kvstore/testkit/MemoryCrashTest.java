package io.kvstore.testkit;

import io.kvstore.data.Durability;
import java.util.List;
import java.util.Map;

/** Crashes of stores on the engine of the test kit: what they find is in the core. */
final class MemoryCrashTest extends CrashContract {

    private static final StoreScenario.Engine MEMORY = new StoreScenario.Engine("MEMORY", Map.of());

    @Override
    protected List<StoreScenario> scenarios() {
        return List.of(
                StoreScenario.of(Durability.SYNC, MEMORY),
                StoreScenario.of(Durability.BUFFERED, MEMORY),
                StoreScenario.of(Durability.BUFFERED, MEMORY).withSyncInterval(100));
    }

    @Override
    protected int leastImages() {
        return 3_000;
    }
}
