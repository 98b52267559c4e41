package io.kvstore.testkit;

import java.util.List;
import java.util.Map;

/** Forged catalogs and logs, beside tables on the engine of the test kit. */
final class ModelForgedFilesTest extends ForgedFilesContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(new StoreScenario.Engine("MODEL", Map.of()));
    }

    @Override
    protected int leastFiles() {
        return 2_000;
    }

    @Override
    protected List<Forgery> partsOf(String path, byte[] file) {
        return List.of();
    }
}
