package io.kvstore.lsm;

import io.kvstore.testkit.BackupContract;
import io.kvstore.testkit.StoreScenario;
import java.util.List;
import java.util.Map;

/** {@link BackupContract} for tables that flush and compact all the time, and one with the usual parameters. */
final class LsmBackupTest extends BackupContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(
                new StoreScenario.Engine(
                        "LSM", Map.of("MEM_CACHE_SIZE", 65_536, "MAX_SSTABLES", 4, "VALUE_THRESHOLD_BYTES", 300)),
                new StoreScenario.Engine("LSM", Map.of()));
    }
}
