package io.kvstore.bplus;

import io.kvstore.testkit.EnvironmentContract;
import io.kvstore.testkit.StoreScenario;

/** Stores with BPLUS tables, wherever they are. */
final class BPlusEnvironmentTest extends EnvironmentContract {

    @Override
    protected StoreScenario.Engine engine() {
        return BPlusScenarios.LEAST_ORDER;
    }
}
