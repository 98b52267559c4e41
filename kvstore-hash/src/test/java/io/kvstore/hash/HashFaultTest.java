package io.kvstore.hash;

import io.kvstore.data.Durability;
import io.kvstore.testkit.FaultContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Failing storage under stores with hash tables. */
final class HashFaultTest extends FaultContract {

    @Override
    protected List<StoreScenario> scenarios() {
        return List.of(
                StoreScenario.of(Durability.SYNC, HashScenarios.CROWDED),
                StoreScenario.of(Durability.BUFFERED, HashScenarios.USUAL));
    }
}
