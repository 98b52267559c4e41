package io.kvstore.bplus;

import io.kvstore.testkit.HistoryContract;
import io.kvstore.testkit.StoreScenario;
import java.util.ArrayList;
import java.util.List;

/** Long histories of stores with B+tree tables, alone and beside tables of another engine. */
final class BPlusHistoryTest extends HistoryContract {

    @Override
    protected List<StoreScenario> scenarios() {
        List<StoreScenario> all = new ArrayList<>();
        BPlusScenarios.ALL.forEach(engine -> all.addAll(StoreScenario.grid(engine)));
        all.addAll(StoreScenario.grid(BPlusScenarios.LEAST_ORDER, BPlusScenarios.MODEL));
        return all;
    }

    @Override
    protected int leastOperations() {
        return 30_000;
    }
}
