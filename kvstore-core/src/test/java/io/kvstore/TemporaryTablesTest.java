package io.kvstore;

import io.kvstore.testkit.TemporaryTablesContract;
import java.util.Properties;

/** Temporary tables of the engine of the test kit. */
final class TemporaryTablesTest extends TemporaryTablesContract {

    @Override
    protected String engine() {
        return "MODEL";
    }

    @Override
    protected Properties properties() {
        return new Properties();
    }
}
