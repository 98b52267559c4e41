package io.kvstore.bplus;

import io.kvstore.testkit.ReadBarrierContract;

final class BPlusReadBarrierTest extends ReadBarrierContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }
}
