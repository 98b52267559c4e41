package io.kvstore.lsm;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.UnloggedContract;
import java.util.Properties;

final class LsmUnloggedTest extends UnloggedContract {

    @Override
    protected TableEngineProvider provider() {
        return new LsmEngineProvider();
    }

    @Override
    protected Properties small() {
        Properties properties = new Properties();
        properties.setProperty("MEM_CACHE_SIZE", "65536");
        return properties;
    }
}
