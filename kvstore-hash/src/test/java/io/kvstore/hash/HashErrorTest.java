package io.kvstore.hash;

import io.kvstore.testkit.ErrorContract;
import java.util.Map;

/** Errors in stores with hash tables. */
final class HashErrorTest extends ErrorContract {

    @Override
    protected Map<String, ?> parameters() {
        return HashScenarios.CROWDED.parameters();
    }
}
