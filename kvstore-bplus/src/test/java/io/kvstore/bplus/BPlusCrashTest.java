package io.kvstore.bplus;

import io.kvstore.data.Durability;
import io.kvstore.testkit.CrashContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Crashes of stores with B+tree tables. */
final class BPlusCrashTest extends CrashContract {

    @Override
    protected List<StoreScenario> scenarios() {
        return BPlusScenarios.ALL.stream()
                .flatMap(engine -> List.of(
                        StoreScenario.of(Durability.SYNC, engine, BPlusScenarios.MODEL),
                        StoreScenario.of(Durability.BUFFERED, engine, BPlusScenarios.MODEL))
                        .stream())
                .toList();
    }

    @Override
    protected int leastImages() {
        return 1_000;
    }
}
