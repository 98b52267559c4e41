package io.kvstore.bplus;

import io.kvstore.testkit.BackupContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;
import java.util.Map;

/** {@link BackupContract} for trees with a small buffer, with values beside them and in them. */
final class BPlusBackupTest extends BackupContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(
                new StoreScenario.Engine(
                        "BPLUS", Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", 1 << 20, "VALUE_THRESHOLD_BYTES", 300)),
                new StoreScenario.Engine("BPLUS", Map.of("VALUE_THRESHOLD_BYTES", 1 << 20)));
    }
}
