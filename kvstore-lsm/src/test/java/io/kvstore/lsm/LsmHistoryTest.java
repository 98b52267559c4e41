package io.kvstore.lsm;

import io.kvstore.testkit.HistoryContract;
import io.kvstore.testkit.StoreScenario;
import java.util.ArrayList;
import java.util.List;

/** Long histories of stores with LSM tables, alone and beside tables of another engine. */
final class LsmHistoryTest extends HistoryContract {

    @Override
    protected List<StoreScenario> scenarios() {
        List<StoreScenario> all = new ArrayList<>();
        LsmScenarios.ALL.forEach(engine -> all.addAll(StoreScenario.grid(engine)));
        all.addAll(StoreScenario.grid(LsmScenarios.TINY, LsmScenarios.MODEL));
        return all;
    }

    @Override
    protected int leastOperations() {
        return 30_000;
    }
}
