package io.kvstore.lsm;

import io.kvstore.testkit.ManyTablesContract;

final class LsmTablesTest extends ManyTablesContract {

    @Override
    protected String engine() {
        return "LSM";
    }
}
