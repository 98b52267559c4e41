package io.kvstore.lsm;

import io.kvstore.testkit.ErrorContract;
import java.util.Map;

/** Errors in stores with LSM tables. */
final class LsmErrorTest extends ErrorContract {

    @Override
    protected Map<String, ?> parameters() {
        return LsmScenarios.ONE_ENTRY_BLOCKS.parameters();
    }
}
