package io.kvstore.bplus;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.UnloggedContract;
import java.util.Properties;

final class BPlusUnloggedTest extends UnloggedContract {

    @Override
    protected TableEngineProvider provider() {
        return new BPlusEngineProvider();
    }

    @Override
    protected Properties small() {
        Properties properties = new Properties();
        properties.setProperty("BTREE_PAGE_BUFFER_SIZE_BYTES", "1048576");
        return properties;
    }
}
