package io.kvstore;

import io.kvstore.testkit.ReadBarrierContract;

final class ReadBarrierTest extends ReadBarrierContract {

    @Override
    protected String engine() {
        return "MODEL";
    }
}
