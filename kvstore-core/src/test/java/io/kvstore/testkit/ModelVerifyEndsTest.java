package io.kvstore.testkit;

import java.util.Properties;

/** Closing a store with a table of the model ends its check. */
final class ModelVerifyEndsTest extends VerifyEndsContract {

    @Override
    protected String engine() {
        return "MODEL";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        return properties;
    }
}
