package io.kvstore.lsm;

import io.kvstore.testkit.CallDepthContract;

/** The calls of a put into an LSM table. */
final class LsmCallDepthTest extends CallDepthContract {

    @Override
    protected String engine() {
        return "LSM";
    }
}
