package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;
import java.util.Properties;

final class ModelCountsTest extends CountsContract {

    @Override
    protected TableEngineProvider provider() {
        return new ModelEngineProvider();
    }

    @Override
    protected Properties small() {
        return new Properties();
    }
}
