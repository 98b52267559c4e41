package io.kvstore.bplus;

import io.kvstore.data.Durability;
import io.kvstore.testkit.FaultContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Failing storage under stores with B+tree tables. */
final class BPlusFaultTest extends FaultContract {

    @Override
    protected List<StoreScenario> scenarios() {
        return List.of(
                StoreScenario.of(Durability.SYNC, BPlusScenarios.LEAST_ORDER),
                StoreScenario.of(Durability.BUFFERED, BPlusScenarios.EIGHT_PAGES));
    }
}
