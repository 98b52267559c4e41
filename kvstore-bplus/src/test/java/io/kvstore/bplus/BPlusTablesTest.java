package io.kvstore.bplus;

import io.kvstore.testkit.ManyTablesContract;

final class BPlusTablesTest extends ManyTablesContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }
}
