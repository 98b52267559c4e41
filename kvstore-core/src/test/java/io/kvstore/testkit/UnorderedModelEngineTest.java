package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;

/** The contract with an engine that keeps no order of keys. */
final class UnorderedModelEngineTest extends TableEngineContract {

    @Override
    protected TableEngineProvider provider() {
        return new UnorderedModelEngineProvider();
    }
}
