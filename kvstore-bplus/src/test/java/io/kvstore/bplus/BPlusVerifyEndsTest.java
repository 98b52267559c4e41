package io.kvstore.bplus;

import io.kvstore.testkit.VerifyEndsContract;
import java.util.Properties;

/** Closing a store with a table of a B+ tree ends its check. */
final class BPlusVerifyEndsTest extends VerifyEndsContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("VALUE_THRESHOLD_BYTES", "500");
        return properties;
    }
}
