package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;
import java.util.Properties;

final class MemoryUnloggedTest extends UnloggedContract {

    @Override
    protected TableEngineProvider provider() {
        return new MemoryEngineProvider();
    }

    @Override
    protected Properties small() {
        return new Properties();
    }
}
