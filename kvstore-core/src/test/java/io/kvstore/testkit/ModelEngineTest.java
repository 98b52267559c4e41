package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;

/** The contract with its smallest engine. */
final class ModelEngineTest extends OrderedEngineContract {

    @Override
    protected TableEngineProvider provider() {
        return new ModelEngineProvider();
    }
}
