package io.kvstore.lsm;

import io.kvstore.testkit.InMemoryStoreContract;
import java.util.Properties;

/** Tables of the engine in a store in memory. */
final class LsmInMemoryTest extends InMemoryStoreContract {

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

    @Override
    protected boolean removalsMakeRoom() {
        return false; // the last room is kept for compactions, and tombstones need some
    }
}
