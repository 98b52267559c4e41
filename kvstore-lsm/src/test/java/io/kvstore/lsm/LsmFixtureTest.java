package io.kvstore.lsm;

import io.kvstore.testkit.FixtureContract;
import java.util.Properties;

/** Stores with an LSM table that earlier programs wrote. */
final class LsmFixtureTest extends FixtureContract {

    @Override
    protected String engine() {
        return "LSM";
    }

    @Override
    protected Properties parameters() {
        Properties parameters = new Properties();
        parameters.put("MEM_CACHE_SIZE", 64 << 10);
        return parameters;
    }
}
