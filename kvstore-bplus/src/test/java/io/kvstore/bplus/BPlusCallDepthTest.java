package io.kvstore.bplus;

import io.kvstore.testkit.CallDepthContract;

final class BPlusCallDepthTest extends CallDepthContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }
}
