package io.kvstore.bplus;

import io.kvstore.testkit.InMemoryStoreContract;
import java.util.Properties;

/** Tables of the engine in a store in memory. */
final class BPlusInMemoryTest extends InMemoryStoreContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.put("BTREE_PAGE_BUFFER_SIZE_BYTES", 1_000_000);
        return properties;
    }

    @Override
    protected boolean removalsMakeRoom() {
        return true;
    }
}
