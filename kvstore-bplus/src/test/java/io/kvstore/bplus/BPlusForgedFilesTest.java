package io.kvstore.bplus;

import io.kvstore.testkit.ForgedFilesContract;
import io.kvstore.testkit.Forgery;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Value segments with right checksums and absurd fields, besides the catalog and the log. Pages stay as they are. */
final class BPlusForgedFilesTest extends ForgedFilesContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(BPlusScenarios.LEAST_ORDER, BPlusScenarios.EIGHT_PAGES);
    }

    @Override
    protected int leastFiles() {
        return 1_000;
    }

    @Override
    protected List<Forgery> partsOf(String path, byte[] file) {
        return List.of();
    }
}
