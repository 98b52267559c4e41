package io.kvstore.lsm;

import io.kvstore.testkit.CallDepthContract;

final class LsmCallDepthTest extends CallDepthContract {

    @Override
    protected String engine() {
        return "LSM";
    }
}
