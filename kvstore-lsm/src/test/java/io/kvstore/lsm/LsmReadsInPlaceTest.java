package io.kvstore.lsm;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.ReadsInPlaceContract;
import java.util.Properties;

final class LsmReadsInPlaceTest extends ReadsInPlaceContract {

    @Override
    protected TableEngineProvider provider() {
        return new LsmEngineProvider();
    }

    @Override
    protected Properties small() {
        Properties properties = new Properties();
        properties.setProperty("MEM_CACHE_SIZE", "262144");
        return properties;
    }
}
