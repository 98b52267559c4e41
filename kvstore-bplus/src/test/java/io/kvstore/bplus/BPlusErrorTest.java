package io.kvstore.bplus;

import io.kvstore.testkit.ErrorContract;
import java.util.Map;

/** Errors in stores with B+tree tables. */
final class BPlusErrorTest extends ErrorContract {

    @Override
    protected Map<String, ?> parameters() {
        return BPlusScenarios.EIGHT_PAGES.parameters();
    }
}
