package io.kvstore.bplus;

import io.kvstore.testkit.CallDepthContract;

/** The calls of a put into a BPLUS table. */
final class BPlusCallDepthTest extends CallDepthContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }
}
