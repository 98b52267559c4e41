package io.kvstore.hash;

import io.kvstore.testkit.ReadBarrierContract;

/** What answers of a hash table wait for. */
final class HashReadBarrierTest extends ReadBarrierContract {

    @Override
    protected String engine() {
        return "HASH";
    }
}
