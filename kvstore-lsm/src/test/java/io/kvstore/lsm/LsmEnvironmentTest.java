package io.kvstore.lsm;

import io.kvstore.testkit.EnvironmentContract;
import io.kvstore.testkit.StoreScenario;

/** Stores with LSM tables, wherever they are. */
final class LsmEnvironmentTest extends EnvironmentContract {

    @Override
    protected StoreScenario.Engine engine() {
        return LsmScenarios.TINY;
    }
}
