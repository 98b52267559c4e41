package io.kvstore.bplus;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.CountsContract;
import java.util.Properties;

final class BPlusCountsTest extends CountsContract {

    @Override
    protected TableEngineProvider provider() {
        return new BPlusEngineProvider();
    }

    @Override
    protected Properties small() {
        Properties properties = new Properties();
        properties.setProperty("BTREE_PAGE_BUFFER_SIZE_BYTES", "32768");
        properties.setProperty("BTREE_ORDER", "8"); // so that ranges meet many pages, which the buffer has not at once
        return properties;
    }
}
