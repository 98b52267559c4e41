package io.kvstore.lsm;

import io.kvstore.testkit.TemporaryTablesContract;
import java.util.Properties;

/** Temporary tables of the engine. */
final class LsmTemporaryTablesTest extends TemporaryTablesContract {

    @Override
    protected String engine() {
        return "LSM";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.put("MEM_CACHE_SIZE", 1_000_000);
        return properties;
    }
}
