package io.kvstore.hash;

import io.kvstore.testkit.TemporaryTablesContract;
import java.util.Properties;

/** Temporary hash tables. */
final class HashTemporaryTablesTest extends TemporaryTablesContract {

    @Override
    protected String engine() {
        return "HASH";
    }

    @Override
    protected Properties properties() {
        return new Properties();
    }
}
