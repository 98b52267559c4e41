package io.kvstore.hash;

import io.kvstore.testkit.InMemoryStoreContract;
import java.util.Properties;

/** Hash tables of a store in memory. */
final class HashInMemoryTest extends InMemoryStoreContract {

    @Override
    protected String engine() {
        return "HASH";
    }

    @Override
    protected Properties properties() {
        return new Properties();
    }

    @Override
    protected boolean removalsMakeRoom() {
        return true;
    }
}
