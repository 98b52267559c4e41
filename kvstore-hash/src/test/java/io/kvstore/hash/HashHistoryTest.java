package io.kvstore.hash;

import io.kvstore.testkit.HistoryContract;
import io.kvstore.testkit.StoreScenario;
import java.util.ArrayList;
import java.util.List;

/** Long histories of stores with hash tables, alone and beside tables of another engine. */
final class HashHistoryTest extends HistoryContract {

    @Override
    protected List<StoreScenario> scenarios() {
        List<StoreScenario> all = new ArrayList<>();
        HashScenarios.ALL.forEach(engine -> all.addAll(StoreScenario.grid(engine)));
        all.addAll(StoreScenario.grid(HashScenarios.CROWDED, HashScenarios.MODEL));
        return all;
    }

    @Override
    protected int leastOperations() {
        return 30_000;
    }
}
