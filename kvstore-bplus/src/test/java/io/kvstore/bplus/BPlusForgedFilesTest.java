package io.kvstore.bplus;

import io.kvstore.testkit.ForgedFilesContract;
import io.kvstore.testkit.Forgery;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Superblocks and pages with right checksums and absurd fields, besides the catalog, the log and value segments. */
final class BPlusForgedFilesTest extends ForgedFilesContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return BPlusScenarios.ALL;
    }

    @Override
    protected int leastFiles() {
        return 600;
    }

    @Override
    protected List<Forgery> partsOf(String path, byte[] bytes) {
        return path.endsWith("/PAGES") ? new ForgedPages(bytes).parts() : List.of();
    }
}
