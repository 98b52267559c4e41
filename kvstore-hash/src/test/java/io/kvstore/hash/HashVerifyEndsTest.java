package io.kvstore.hash;

import io.kvstore.testkit.VerifyEndsContract;
import java.util.Properties;

/** Closing a store with a table of a hash index ends its check. */
final class HashVerifyEndsTest extends VerifyEndsContract {

    @Override
    protected String engine() {
        return "HASH";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        return properties;
    }
}
