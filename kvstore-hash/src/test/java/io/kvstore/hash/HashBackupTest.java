package io.kvstore.hash;

import io.kvstore.testkit.BackupContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;
import java.util.Map;

/** {@link BackupContract} for hash tables. */
final class HashBackupTest extends BackupContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(new StoreScenario.Engine("HASH", Map.of()), new StoreScenario.Engine("HASH", Map.of()));
    }
}
