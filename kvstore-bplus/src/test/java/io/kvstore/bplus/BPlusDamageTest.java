package io.kvstore.bplus;

import io.kvstore.testkit.StoreDamageContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Damage of stores with B+tree tables: page files besides the catalog and the log. */
final class BPlusDamageTest extends StoreDamageContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(BPlusScenarios.EIGHT_PAGES, BPlusScenarios.USUAL);
    }

    @Override
    protected int mostFlips() {
        return 10_000;
    }
}
