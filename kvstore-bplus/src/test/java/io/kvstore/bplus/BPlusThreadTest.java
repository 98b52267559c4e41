package io.kvstore.bplus;

import io.kvstore.testkit.StoreScenario;
import io.kvstore.testkit.ThreadContract;

/** Many threads on stores with B+tree tables. */
final class BPlusThreadTest extends ThreadContract {

    @Override
    protected StoreScenario.Engine engine() {
        return BPlusScenarios.LEAST_ORDER;
    }
}
