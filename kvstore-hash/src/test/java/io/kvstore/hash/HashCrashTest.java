package io.kvstore.hash;

import io.kvstore.data.Durability;
import io.kvstore.testkit.CrashContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Crashes of stores with hash tables. */
final class HashCrashTest extends CrashContract {

    @Override
    protected List<StoreScenario> scenarios() {
        return HashScenarios.ALL.stream()
                .flatMap(engine -> List.of(
                        StoreScenario.of(Durability.SYNC, engine, HashScenarios.MODEL),
                        StoreScenario.of(Durability.BUFFERED, engine, HashScenarios.MODEL))
                        .stream())
                .toList();
    }

    @Override
    protected int leastImages() {
        return 1_000;
    }
}
