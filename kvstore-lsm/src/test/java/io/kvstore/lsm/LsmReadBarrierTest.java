package io.kvstore.lsm;

import io.kvstore.testkit.ReadBarrierContract;

final class LsmReadBarrierTest extends ReadBarrierContract {

    @Override
    protected String engine() {
        return "LSM";
    }
}
