package io.kvstore.bplus;

import io.kvstore.testkit.FixtureContract;
import java.util.Properties;

/** Stores with a B+tree table that earlier programs wrote. */
final class BPlusFixtureTest extends FixtureContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }

    @Override
    protected Properties parameters() {
        Properties parameters = new Properties();
        parameters.put("BTREE_ORDER", 20);
        parameters.put("BTREE_PAGE_BUFFER_SIZE_BYTES", 64 << 10);
        return parameters;
    }
}
