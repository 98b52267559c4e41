package io.kvstore.bplus;

import io.kvstore.testkit.TemporaryTablesContract;
import java.util.Properties;

/** Temporary tables of the engine. */
final class BPlusTemporaryTablesTest extends TemporaryTablesContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.put("BTREE_PAGE_BUFFER_SIZE_BYTES", 1_000_000);
        return properties;
    }
}
