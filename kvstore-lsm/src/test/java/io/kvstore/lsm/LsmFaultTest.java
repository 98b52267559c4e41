package io.kvstore.lsm;

import io.kvstore.data.Durability;
import io.kvstore.testkit.FaultContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Failing storage under stores with LSM tables. */
final class LsmFaultTest extends FaultContract {

    @Override
    protected List<StoreScenario> scenarios() {
        return List.of(
                StoreScenario.of(Durability.SYNC, LsmScenarios.TINY),
                StoreScenario.of(Durability.BUFFERED, LsmScenarios.ONE_ENTRY_BLOCKS));
    }
}
