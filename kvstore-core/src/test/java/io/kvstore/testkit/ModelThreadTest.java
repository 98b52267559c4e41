package io.kvstore.testkit;

import java.util.Map;

/** Many threads on stores with the engine of the test kit. */
final class ModelThreadTest extends ThreadContract {

    @Override
    protected StoreScenario.Engine engine() {
        return new StoreScenario.Engine("MODEL", Map.of());
    }
}
