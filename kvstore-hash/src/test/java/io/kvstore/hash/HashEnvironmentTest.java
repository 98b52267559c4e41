package io.kvstore.hash;

import io.kvstore.testkit.EnvironmentContract;
import io.kvstore.testkit.StoreScenario;

/** Stores with hash tables, wherever they are. */
final class HashEnvironmentTest extends EnvironmentContract {

    @Override
    protected StoreScenario.Engine engine() {
        return HashScenarios.CROWDED;
    }
}
