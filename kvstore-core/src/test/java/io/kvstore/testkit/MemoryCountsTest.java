package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;
import java.util.Properties;

final class MemoryCountsTest extends CountsContract {

    @Override
    protected TableEngineProvider provider() {
        return new MemoryEngineProvider();
    }

    @Override
    protected Properties small() {
        return new Properties();
    }
}
