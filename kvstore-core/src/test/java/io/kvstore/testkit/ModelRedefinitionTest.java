package io.kvstore.testkit;

import java.util.Map;
import java.util.Properties;

/** Other names and parameters for tables of the model. */
final class ModelRedefinitionTest extends RedefinitionContract {

    @Override
    protected String engine() {
        return "MODEL";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        return properties;
    }

    @Override
    protected Map<String, String> online() {
        return Map.of();
    }
}
