package io.kvstore.testkit;

import java.util.List;
import java.util.Map;

/** {@link BackupContract} for the engine of the kit. */
final class ModelBackupTest extends BackupContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(new StoreScenario.Engine("MODEL", Map.of()), new StoreScenario.Engine("MODEL", Map.of()));
    }

    /** A table is one file, which is written anew. */
    @Override
    protected boolean changesLittle() {
        return false;
    }
}
