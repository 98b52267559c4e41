package io.kvstore.bplus;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.SplitsContract;
import java.util.Properties;

final class BPlusSplitsTest extends SplitsContract {

    @Override
    protected TableEngineProvider provider() {
        return new BPlusEngineProvider();
    }

    @Override
    protected Properties small() {
        Properties properties = new Properties();
        properties.setProperty("BTREE_PAGE_BUFFER_SIZE_BYTES", "262144");
        properties.setProperty("BTREE_ORDER", "16");
        return properties;
    }
}
