package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;
import java.util.Properties;

/** An engine that proposes no keys. */
final class MemorySplitsTest extends SplitsContract {

    @Override
    protected TableEngineProvider provider() {
        return new MemoryEngineProvider();
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
