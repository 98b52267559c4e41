package io.kvstore.hash;

import io.kvstore.testkit.StoreDamageContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Damage of stores with hash tables: index files besides the catalog and the log. */
final class HashDamageTest extends StoreDamageContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return HashScenarios.ALL;
    }

    @Override
    protected int mostFlips() {
        return 10_000;
    }
}
