package io.kvstore.lsm;

import io.kvstore.testkit.StoreScenario;
import io.kvstore.testkit.ThreadContract;

/** Many threads on stores with LSM tables. */
final class LsmThreadTest extends ThreadContract {

    @Override
    protected StoreScenario.Engine engine() {
        return LsmScenarios.TINY;
    }
}
