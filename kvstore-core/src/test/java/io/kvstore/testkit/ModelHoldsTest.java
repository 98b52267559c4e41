package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;

/** {@link HoldsContract} for the engine of the kit. */
final class ModelHoldsTest extends HoldsContract {

    @Override
    protected TableEngineProvider provider() {
        return new ModelEngineProvider();
    }

    @Override
    protected boolean isHeldInMemory() {
        return true;
    }
}
