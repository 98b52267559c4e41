package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;
import java.util.Properties;

/** An engine that proposes no keys. */
final class ModelSplitsTest extends SplitsContract {

    @Override
    protected TableEngineProvider provider() {
        return new ModelEngineProvider();
    }

    @Override
    protected Properties small() {
        return new Properties();
    }

    @Override
    protected boolean divides() {
        return false;
    }
}
