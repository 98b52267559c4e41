package io.kvstore.lsm;

import io.kvstore.data.Durability;
import io.kvstore.testkit.CrashContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Crashes of stores with LSM tables whose memtables are so small that flushes and compactions happen. */
final class LsmCrashTest extends CrashContract {

    @Override
    protected List<StoreScenario> scenarios() {
        return LsmScenarios.ALL.stream()
                .flatMap(engine -> List.of(
                        StoreScenario.of(Durability.SYNC, engine, LsmScenarios.MODEL),
                        StoreScenario.of(Durability.BUFFERED, engine, LsmScenarios.MODEL))
                        .stream())
                .toList();
    }

    @Override
    protected int leastImages() {
        return 1_000;
    }
}
