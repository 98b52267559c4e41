package io.kvstore.lsm;

import io.kvstore.testkit.StoreDamageContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Damage of stores with LSM tables: manifests and SSTables besides the catalog and the log. */
final class LsmDamageTest extends StoreDamageContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(LsmScenarios.TINY, LsmScenarios.LARGE_BLOCKS);
    }

    @Override
    protected int mostFlips() {
        return 10_000;
    }
}
