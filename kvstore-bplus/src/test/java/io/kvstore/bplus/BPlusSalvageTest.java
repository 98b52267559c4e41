package io.kvstore.bplus;

import io.kvstore.testkit.SalvageContract;

final class BPlusSalvageTest extends SalvageContract {
    @Override
    protected String engine() {
        return "BPLUS";
    }
}
