package io.kvstore.hash;

import io.kvstore.testkit.ManyTablesContract;

/** Many hash tables in one store. */
final class HashTablesTest extends ManyTablesContract {

    @Override
    protected String engine() {
        return "HASH";
    }
}
