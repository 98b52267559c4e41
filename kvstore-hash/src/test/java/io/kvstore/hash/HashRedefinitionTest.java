package io.kvstore.hash;

import io.kvstore.testkit.RedefinitionContract;
import java.util.Map;
import java.util.Properties;

/** Other names and parameters for hash tables. */
final class HashRedefinitionTest extends RedefinitionContract {

    @Override
    protected String engine() {
        return "HASH";
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
