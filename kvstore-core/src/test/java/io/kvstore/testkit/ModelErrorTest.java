package io.kvstore.testkit;

import java.util.Map;

/** Errors in stores on the engine of the test kit. */
final class ModelErrorTest extends ErrorContract {

    @Override
    protected Map<String, ?> parameters() {
        return Map.of();
    }
}
