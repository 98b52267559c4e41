package io.kvstore.hash;

import io.kvstore.testkit.CallDepthContract;

/** The calls of a put into a hash table. */
final class HashCallDepthTest extends CallDepthContract {

    @Override
    protected String engine() {
        return "HASH";
    }
}
