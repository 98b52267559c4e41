package io.kvstore.lsm;

import io.kvstore.testkit.VerifyEndsContract;
import java.util.Properties;

/** Closing a store with a table of an LSM tree ends its check. */
final class LsmVerifyEndsTest extends VerifyEndsContract {

    @Override
    protected String engine() {
        return "LSM";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("VALUE_THRESHOLD_BYTES", "500");
        return properties;
    }
}
