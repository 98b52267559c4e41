package io.kvstore.sealed;

import io.kvstore.testkit.VerifyEndsContract;
import java.util.Properties;

/** Closing a store with a table of one file ends its check. */
final class SealedVerifyEndsTest extends VerifyEndsContract {

    @Override
    protected String engine() {
        return "SEALED";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        return properties;
    }
}
